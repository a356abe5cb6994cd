import { describe, expect, it } from '@jest/globals';
import { CircuitBreakerOpenError, ConfigurationError } from '../../lib/index.js';
import {
  everySeconds,
  gives,
  rejection,
  rejects,
  scene,
  story,
  thrown,
  Upstream,
} from '../operation/support.js';
import { beginCall, failCalls, failWith, refusedCall, setUp, setUpProbeDue, untouched } from './support.js';

const down = rejects(new Error('down'));

describe('a circuit breaker that an operator forces open', () => {
  it('refuses every call, however long it waits, and says that it is forced', async () => {
    const { clock, breaker } = setUp();
    breaker.forceOpen('the bank is migrating');
    for (const wait of ['0s', '10s', '1h'] as const) {
      await clock.advance(wait);
      const { error, calls } = await refusedCall(breaker);
      expect(calls).toBe(0);
      expect(error).toBeInstanceOf(CircuitBreakerOpenError);
      expect({ ...error }).toEqual({
        breakerName: 'payments',
        state: 'open',
        reason: 'operator',
        retryAfterSeconds: null,
      });
      expect(error.message).toBe(
        "circuit breaker 'payments' is forced open; no call passes until an operator lets go of it",
      );
    }
    expect(breaker.snapshot()).toEqual({
      ...untouched,
      state: 'open',
      forced: 'open',
      forcedReason: 'the bank is migrating',
      openedAt: new Date('2026-01-01T00:00:00Z'),
      openedBy: 'operator',
      retryAfterSeconds: null,
      open: true,
      closed: false,
    });
    expect(clock.pendingTimers).toBe(0);
  });

  it('drops the outcomes of the calls that were in flight, and has no place for a late probe', async () => {
    const { clock, breaker } = await setUpProbeDue();
    const probe = beginCall(breaker);
    breaker.forceOpen('maintenance');
    expect(breaker.snapshot()).toMatchObject({ state: 'open', halfOpenProbeInFlight: false });
    const forced = breaker.snapshot();
    probe.resolve('up');
    await probe.outcome;
    await clock.advance(10);
    expect(breaker.snapshot()).toEqual(forced);
    breaker.reset();
    expect(breaker.snapshot()).toEqual(untouched);
  });

  it('stays open since when it was when it was open already', async () => {
    const { clock, breaker } = setUp();
    await failCalls(breaker);
    await clock.advance(9);
    breaker.forceOpen('leave it so');
    await clock.advance(1);
    expect(breaker.snapshot()).toMatchObject({
      failureCount: 2,
      openedAt: new Date('2026-01-01T00:00:00Z'),
      openedBy: 'operator',
      probeDue: false,
    });
    const { error, calls } = await refusedCall(breaker);
    expect([error.reason, calls]).toEqual(['operator', 0]);
  });

  it('ends the primary path of an operation at the first refusal', async () => {
    const { clock, breaker } = setUp();
    breaker.forceOpen('maintenance');
    const upstream = new Upstream(gives('never'));
    const options = { circuitBreaker: breaker, retries: 5, backoff: everySeconds(60), fallback: gives('F') };
    const { sink, result } = scene(upstream.call, options, clock);
    const { value, report } = await result();
    expect(value).toBe('F');
    expect(report.attemptCount).toBe(2);
    expect(report.durationSeconds).toBe(0);
    expect(upstream.calls).toEqual([]);
    expect(story(sink)).toMatch(/^OS AS circuit_breaker\.rejected AF fallback\.started/);
    expect(sink.events()[2]?.payload).toMatchObject({ state: 'open', retry_after_seconds: null });
  });

  it('lets nobody sleep in front of it: a failed try is followed by the refusal at once', async () => {
    const { clock, breaker } = setUp({ failureThreshold: 9 });
    const upstream = new Upstream(() => {
      breaker.forceOpen('maintenance');
      throw new Error('down');
    });
    const options = { circuitBreaker: breaker, retries: 5, backoff: everySeconds(60) };
    const { report, cause } = await scene(upstream.call, options, clock).failure();
    expect(cause).toBeInstanceOf(CircuitBreakerOpenError);
    expect([report.attemptCount, report.durationSeconds, upstream.calls.length]).toEqual([2, 0, 1]);
  });

  it.each([undefined, '', '  ', null, 5, {}])('needs a reason: %p is none', (reason) => {
    const { breaker } = setUp();
    const error = thrown(() => breaker.forceOpen(reason as string));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ option: 'reason', cure: 'give a text that is not blank' });
    expect(breaker.snapshot()).toEqual(untouched);
  });
});

describe('a circuit breaker that an operator forces closed', () => {
  it('lets every call pass and counts nothing, whatever comes of them', async () => {
    const { breaker } = setUp();
    await failCalls(breaker, 1);
    breaker.forceClosed('the alarm is false');
    await failCalls(breaker, 5);
    expect(breaker.snapshot()).toEqual({
      ...untouched,
      forced: 'closed',
      forcedReason: 'the alarm is false',
    });
  });

  it('passes calls at once when it was open or half-open, and drops the probe', async () => {
    const { breaker } = await setUpProbeDue();
    const probe = beginCall(breaker);
    breaker.forceClosed();
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
    probe.reject(new Error('down'));
    await rejection(probe.outcome);
    expect(breaker.snapshot()).toEqual({ ...untouched, forced: 'closed' });
  });

  it('counts from nothing after reset(), and not the calls from before it', async () => {
    const { breaker } = setUp();
    breaker.forceClosed();
    const before = beginCall(breaker);
    breaker.reset();
    before.reject(new Error('down'));
    await rejection(before.outcome);
    await failCalls(breaker, 1);
    expect(breaker.snapshot()).toEqual({ ...untouched, failureCount: 1 });
    await failCalls(breaker, 1);
    expect(breaker.snapshot()).toMatchObject({ state: 'open', forced: null });
  });

  it('does not open by the failures of operations', async () => {
    const { clock, breaker } = setUp();
    breaker.forceClosed();
    const upstream = new Upstream(down);
    const options = { circuitBreaker: breaker, retries: 4, backoff: everySeconds(1) };
    await scene(upstream.call, options, clock).failure();
    expect(upstream.calls).toHaveLength(5);
    expect(breaker.state).toBe('closed');
  });
});

describe('an operator', () => {
  it('may change from one to the other, the latest reason counts, and reset() ends both', async () => {
    const { breaker } = setUp();
    const forced = () => [breaker.snapshot().forced, breaker.snapshot().forcedReason];
    breaker.forceOpen('first');
    breaker.forceOpen('second');
    expect(forced()).toEqual(['open', 'second']);
    breaker.forceClosed();
    expect(forced()).toEqual(['closed', null]);
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
    breaker.forceOpen('third');
    expect((await refusedCall(breaker)).calls).toBe(0);
    breaker.reset('done');
    expect(breaker.snapshot()).toEqual(untouched);
  });

  it.each(['', ' ', null, 5])(
    'gives a reason in words or none: %p is refused, and changes nothing',
    (reason) => {
      const { breaker } = setUp();
      breaker.forceOpen('maintenance');
      for (const operate of [
        () => breaker.forceClosed(reason as string),
        () => breaker.reset(reason as string),
      ])
        expect(thrown(operate)).toMatchObject({ option: 'reason' });
      expect(breaker.snapshot()).toMatchObject({ forced: 'open', forcedReason: 'maintenance' });
    },
  );

  it('leaves the breaker as fit as before: it opens, recovers by a probe and closes', async () => {
    const { clock, breaker } = setUp();
    breaker.forceOpen('maintenance');
    await clock.advance(5);
    breaker.reset();
    await failCalls(breaker);
    expect(breaker.snapshot()).toMatchObject({
      retryAfterSeconds: 10,
      openedAt: new Date('2026-01-01T00:00:05Z'),
    });
    await clock.advance(10);
    expect(await failWith(breaker, new Error('down'))).toHaveProperty('message', 'down');
    await clock.advance(10);
    await expect(breaker.run(() => 'up')).resolves.toBe('up');
    expect(breaker.snapshot()).toEqual(untouched);
  });
});
