import { describe, expect, it, jest } from '@jest/globals';
import { rejection } from '../operation/support.js';
import { beginCall, failCalls, failWith, refusedCall, setUp, setUpProbeDue, untouched } from './support.js';

const allButRangeErrors = (error: unknown): boolean => !(error instanceof RangeError);

describe('a circuit breaker whose recovery time is over', () => {
  it('lets one probe run; its success closes it and clears everything [R43]', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const probe = beginCall(breaker);
    expect(breaker.snapshot()).toEqual({
      ...untouched,
      state: 'half_open',
      failureCount: 2,
      openedAt: new Date('2026-01-01T00:00:00Z'),
      openedBy: 'consecutive_failures',
      halfOpenProbeInFlight: true,
      probesInFlight: 1,
      retryAfterSeconds: null,
      closed: false,
      halfOpen: true,
    });
    probe.resolve('up');
    await expect(probe.outcome).resolves.toBe('up');
    expect(breaker.snapshot()).toEqual(untouched);
    expect(clock.pendingTimers).toBe(0);
  });

  it('admits the probe exactly at the end of the recovery time, and not a moment before [R44]', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker);
    await clock.advance('9999ms');
    expect((await refusedCall(breaker)).calls).toBe(0);
    await clock.advance('0.99ms');
    expect((await refusedCall(breaker)).calls).toBe(0);
    await clock.advance('0.01ms');
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
  });

  it('opens again when the probe fails, from a new time on [R45]', async () => {
    const { clock, breaker } = await setUpProbeDue();
    await clock.advance(3);
    const probe = beginCall(breaker);
    await clock.advance(2);
    const error = new Error('still down');
    probe.reject(error);
    expect(await rejection(probe.outcome)).toBe(error);
    expect(breaker.snapshot()).toEqual({
      ...untouched,
      state: 'open',
      failureCount: 2,
      openedAt: new Date('2026-01-01T00:00:15Z'),
      openedBy: 'probe_failed',
      retryAfterSeconds: 10,
      open: true,
      closed: false,
    });
    await clock.advance('9999ms');
    expect((await refusedCall(breaker)).error.retryAfterSeconds).toBe(0.001);
  });

  it('opens again at one failed probe, whatever the threshold is [R45]', async () => {
    const { breaker } = await setUpProbeDue({ failureThreshold: 5 });
    await failCalls(breaker, 1);
    expect(breaker.state).toBe('open');
  });

  it('refuses a second call during the probe as half-open, with no retry-after [R46]', async () => {
    const { breaker } = await setUpProbeDue();
    const probe = beginCall(breaker);
    const { error, calls } = await refusedCall(breaker);
    expect(calls).toBe(0);
    expect({ ...error }).toEqual({
      breakerName: 'payments',
      state: 'half_open',
      reason: 'probes_busy',
      retryAfterSeconds: null,
    });
    expect(error.message).toBe("circuit breaker 'payments' is half_open; a probe is in flight");
    probe.resolve('up');
    await probe.outcome;
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
  });

  it('frees the slot of a probe that fails with an error outside the filter, and stays half-open [R48]', async () => {
    const { breaker } = await setUpProbeDue({
      recordFailureOn: (error) => error instanceof RangeError === false,
    });
    // B056, B052: it proves nothing, so the next call is the probe, at once.
    for (let probe = 0; probe < 3; probe += 1) {
      await failWith(breaker, new RangeError('400'));
      expect(breaker.snapshot()).toMatchObject({
        state: 'half_open',
        halfOpenProbeInFlight: false,
        retryAfterSeconds: 0,
      });
    }
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
    expect(breaker.state).toBe('closed');
  });

  it('never has more than one probe after an unrecorded failure [R48]', async () => {
    const { breaker } = await setUpProbeDue({ recordFailureOn: allButRangeErrors });
    await failWith(breaker, new RangeError('400'));
    const calls = Array.from({ length: 10 }, () => beginCall(breaker));
    calls[0]?.resolve('up');
    const outcomes = await Promise.allSettled(calls.map((call) => call.outcome));
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', ...Array(9).fill('rejected')]);
  });

  it('gives the slot back when the caller cancels the probe, and records nothing; the next call is the probe [R55]', async () => {
    const { breaker } = await setUpProbeDue();
    const controller = new AbortController();
    const cancelled = beginCall(breaker, controller.signal);
    // B051
    controller.abort('gone');
    expect(await rejection(cancelled.outcome)).toBe('gone');
    expect(breaker.snapshot()).toMatchObject({
      state: 'half_open',
      failureCount: 2,
      halfOpenProbeInFlight: false,
    });
    const next = beginCall(breaker);
    expect(breaker.snapshot().halfOpenProbeInFlight).toBe(true);
    // What the cancelled one does later is nobody's business.
    cancelled.reject(new Error('late'));
    next.resolve('up');
    await expect(next.outcome).resolves.toBe('up');
    expect(breaker.state).toBe('closed');
  });

  it('says open, and that a probe is due, until a call arrives [R58]', async () => {
    const { clock, breaker } = await setUpProbeDue();
    // B014, B054: reading it, however often, uses up nothing.
    for (let read = 0; read < 1_000; read += 1) {
      await (read % 250 === 0 ? clock.advance(1) : undefined);
      expect(breaker.state).toBe('open');
      expect(breaker.snapshot()).toMatchObject({ state: 'open', probeDue: true, retryAfterSeconds: 0 });
    }
    const probe = beginCall(breaker);
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', probeDue: false });
    for (let read = 0; read < 1_000; read += 1) breaker.snapshot();
    probe.resolve('up');
    await expect(probe.outcome).resolves.toBe('up');
  });

  it('admits exactly one of many concurrent calls [R64]', async () => {
    const { breaker } = await setUpProbeDue();
    const fn = jest.fn(async () => 'up');
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => breaker.run(fn)));
    expect(fn).toHaveBeenCalledTimes(1);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    const states = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason.state] : [],
    );
    expect(states).toEqual(Array(49).fill('half_open'));
    expect(breaker.state).toBe('closed');
  });

  it('closes at every good probe, however many cycles it has seen [R43, R45]', async () => {
    const { clock, breaker } = await setUpProbeDue();
    // B049
    for (let cycle = 0; cycle < 5; cycle += 1) {
      await failCalls(breaker, 1);
      expect(breaker.state).toBe('open');
      await clock.advance(10);
      await breaker.run(() => 'up');
      expect(breaker.snapshot()).toEqual(untouched);
      await failCalls(breaker);
      await clock.advance(10);
    }
  });

  it('forgets a probe on reset(): its end decides nothing [R50]', async () => {
    const { breaker } = await setUpProbeDue();
    const probe = beginCall(breaker);
    breaker.reset();
    expect(breaker.snapshot()).toEqual(untouched);
    probe.reject(new Error('down'));
    await rejection(probe.outcome);
    expect(breaker.snapshot()).toEqual(untouched);
  });

  it('is not moved by a call that cannot be made', async () => {
    const { breaker } = await setUpProbeDue();
    const error = await rejection(breaker.run('no function' as never));
    expect(error).toMatchObject({ name: 'ConfigurationError', option: 'fn' });
    expect(breaker.snapshot()).toMatchObject({ failureCount: 2, halfOpenProbeInFlight: false });
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
  });
});
