import { describe, expect, it } from '@jest/globals';
import { asyncOperation, CircuitBreaker, TimeoutPolicy, type ProbeOptions } from '../../lib/index.js';
import type { Permit } from '../../lib/policies/circuit-breaker/circuit-breaker-state.js';
import { FakeClock } from '../../lib/testing/index.js';
import { gives, rejection, Upstream } from '../operation/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { play, statesOf } from './scenes.js';
import { beginCall, failCalls, failWith, refusedCall, setUp, setUpProbeDue } from './support.js';

const probeDue = (probes: ProbeOptions) => setUpProbeDue({ probes });

describe('probes', () => {
  it('are as many at a time as may be, and no more', async () => {
    const { breaker } = await probeDue({ concurrent: 3, successes: 4 });
    const probes = [1, 2, 3].map(() => beginCall(breaker));
    const { error, calls } = await refusedCall(breaker);
    expect(calls).toBe(0);
    expect(error).toMatchObject({ state: 'half_open', reason: 'probes_busy', retryAfterSeconds: null });
    expect(error.details.probesInFlight).toBe(3);
    probes[1]?.resolve('up');
    await probes[1]?.outcome;
    expect(breaker.snapshot()).toMatchObject({ probesInFlight: 2, retryAfterSeconds: 0 });
    beginCall(breaker);
    expect((await refusedCall(breaker)).calls).toBe(0);
    expect(breaker.snapshot()).toMatchObject({
      state: 'half_open',
      probesInFlight: 3,
      retryAfterSeconds: null,
    });
  });

  it('close it when enough of them have succeeded in a row', async () => {
    // B057
    const { clock, breaker } = await probeDue({ concurrent: 3, successes: 3 });
    expect(await statesOf(breaker, 'SSF')).toBe('hho');
    await clock.advance(10);
    expect(await statesOf(breaker, 'SSS')).toBe('hhc');
    expect(breaker.snapshot()).toMatchObject({ failureCount: 0, probesInFlight: 0 });
  });

  it('may be fewer at a time than must succeed', async () => {
    const { breaker } = await probeDue({ successes: 3 });
    expect(await statesOf(breaker, 'SS')).toBe('hh');
    const third = beginCall(breaker);
    expect((await refusedCall(breaker)).calls).toBe(0);
    third.resolve('up');
    await third.outcome;
    expect(breaker.state).toBe('closed');
  });

  it('that end after another one has failed decide nothing', async () => {
    const { breaker } = await probeDue({ concurrent: 2, successes: 2 });
    const [first, second] = [beginCall(breaker), beginCall(breaker)];
    first.reject(new Error('down'));
    await rejection(first.outcome);
    second.resolve('up');
    await second.outcome;
    expect(breaker.snapshot()).toMatchObject({
      state: 'open',
      openedBy: 'probe_failed',
      retryAfterSeconds: 10,
    });
  });

  it('that still run after another one has failed are none of an open breaker', async () => {
    const { breaker } = await probeDue({ concurrent: 2, successes: 2 });
    const [first] = [beginCall(breaker), beginCall(breaker)];
    first.reject(new Error('down'));
    await rejection(first.outcome);
    expect(breaker.isProbing).toBe(false);
    expect(breaker.snapshot()).toMatchObject({ state: 'open', probesInFlight: 0 });
    expect((await refusedCall(breaker)).error.details.probesInFlight).toBe(0);
  });

  it('give their place back when they are cancelled, or their error is not recorded', async () => {
    const { breaker } = await setUpProbeDue({
      recordFailureOn: (error) => !(error instanceof RangeError),
      probes: { concurrent: 2, successes: 2 },
    });
    const controller = new AbortController();
    const cancelled = beginCall(breaker, controller.signal);
    const ignored = beginCall(breaker);
    expect((await refusedCall(breaker)).calls).toBe(0);
    controller.abort('gone');
    expect(await rejection(cancelled.outcome)).toBe('gone');
    ignored.reject(new RangeError('400'));
    await rejection(ignored.outcome);
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', probesInFlight: 0, retryAfterSeconds: 0 });
    expect(await statesOf(breaker, 'SS')).toBe('hc');
  });

  it('do not lose the successes before one that proves nothing', async () => {
    const { breaker } = await setUpProbeDue({
      recordFailureOn: (error) => !(error instanceof RangeError),
      probes: { successes: 2 },
    });
    await play(breaker, 'S');
    await failWith(breaker, new RangeError('400'));
    await play(breaker, 'S');
    expect(breaker.state).toBe('closed');
  });
});

describe('probes without limit', () => {
  it('all run, as many as come, and enough of them close it', async () => {
    const { breaker } = await probeDue({ concurrent: Infinity, successes: 3 });
    const probes = Array.from({ length: 50 }, () => beginCall(breaker));
    expect(breaker.snapshot()).toMatchObject({
      state: 'half_open',
      probesInFlight: 50,
      retryAfterSeconds: 0,
    });
    for (const probe of probes.slice(47)) probe.resolve('up');
    await Promise.all(probes.slice(47).map(({ outcome }) => outcome));
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', probesInFlight: 0 });
  });

  it('open it again at the first failure, and the count of successes begins anew', async () => {
    const { clock, breaker } = await probeDue({ concurrent: Infinity, successes: 3 });
    expect(await statesOf(breaker, 'SSF')).toBe('hho');
    await clock.advance('9999ms');
    await play(breaker, 'R');
    await clock.advance('1ms');
    expect(await statesOf(breaker, 'SSS')).toBe('hhc');
  });

  it('are not one fewer when a call from before them is let go of', async () => {
    const { clock, breaker } = setUp({ probes: { concurrent: Infinity, successes: 3 } });
    const controller = new AbortController();
    const early = beginCall(breaker, controller.signal);
    await failCalls(breaker);
    await clock.advance(10);
    beginCall(breaker);
    controller.abort('gone');
    expect(await rejection(early.outcome)).toBe('gone');
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', probesInFlight: 1 });
  });

  it('are none of the calls from before them, though those succeed', async () => {
    const { clock, breaker } = setUp({ probes: { concurrent: Infinity, successes: 1 } });
    const early = beginCall(breaker);
    await failCalls(breaker);
    await clock.advance(10);
    beginCall(breaker);
    early.resolve('up');
    await early.outcome;
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', probesInFlight: 1 });
  });

  it('are over when it has closed: what succeeds then is no news', async () => {
    const { breaker } = await probeDue({ concurrent: Infinity, successes: 1 });
    await play(breaker, 'S');
    const told: unknown[] = [];
    breaker.onTransition((transition) => told.push(transition));
    await play(breaker, 'SS');
    expect(told).toEqual([]);
  });

  it('go on though one of them hangs for ever', async () => {
    const { clock, breaker } = await probeDue({ concurrent: Infinity, successes: 3 });
    const hung = beginCall(breaker);
    await clock.advance('1h');
    expect(await statesOf(breaker, 'SSS')).toBe('hhc');
    hung.reject(new Error('late'));
    await rejection(hung.outcome);
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('the lease of a probe', () => {
  it('may be given: after it the place is for the next', async () => {
    const { clock, breaker } = await probeDue({ lease: '2s', concurrent: 2 });
    beginCall(breaker);
    await clock.advance(1);
    const second = beginCall(breaker);
    await clock.advance(1);
    expect((await refusedCall(breaker)).calls).toBe(0);
    await clock.advance('1ms');
    beginCall(breaker);
    expect(breaker.snapshot()).toMatchObject({ probesInFlight: 2, retryAfterSeconds: null });
    second.resolve('up');
    await second.outcome;
    expect(breaker.state).toBe('closed');
  });

  it('must not be shorter than the timeout of what it probes', async () => {
    const { breaker } = setUp({ probes: { lease: '2s' } });
    const upstream = new Upstream(gives('up'));
    const operation = asyncOperation('charge', upstream.call).withCircuitBreaker(breaker);
    const tooLong = operation.withTimeout(new TimeoutPolicy(3));
    expect(mistakeOf(() => tooLong.run()).message).toBe(
      'circuitBreaker has probes with a lease of 2 s, shorter than the timeout of 3 s; ' +
        'give the lease at least the timeout, or leave it out',
    );
    expect(upstream.calls).toEqual([]);
    expect((await operation.withTimeout(new TimeoutPolicy(2)).run()).value).toBe('up');
    expect((await operation.run()).value).toBe('up');
  });

  it('makes room by the one that has lost its place, not by one that still has it', async () => {
    const { clock, breaker } = await probeDue({ concurrent: 2 });
    const [long, short] = [breaker.admit(clock, 3_000), breaker.admit(clock, 1_000)];
    expect(breaker.admit(clock, 1_000)).toBeUndefined();
    await clock.advance(3);
    expect(breaker.isProbing).toBe(true);
    expect(breaker.admit(clock, 1_000)).toBeDefined();
    expect(breaker.snapshot().probesInFlight).toBe(2);
    expect(breaker.recordFailure(short as Permit)).toBeUndefined();
    expect(breaker.recordSuccess(long as Permit)).toMatchObject({ from: 'half_open', to: 'closed' });
  });

  it('goes on by another clock with what is left of it', async () => {
    const [first, second] = [new FakeClock(), new FakeClock()];
    await second.advance('5h');
    const breaker = new CircuitBreaker({ failureThreshold: 1, recoveryTimeout: 10 });
    const permit = breaker.admit(first);
    breaker.recordFailure(permit as Permit);
    await first.advance(10);
    expect(breaker.admit(first)).toMatchObject({ transition: { to: 'half_open' } });
    await first.advance(4);
    expect(breaker.admit(second)).toBeUndefined();
    await second.advance(6);
    expect(breaker.admit(second)).toBeUndefined();
    await second.advance('1ms');
    expect(breaker.admit(second)).toBeDefined();
  });
});
