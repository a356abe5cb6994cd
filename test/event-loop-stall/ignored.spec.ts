import { describe, expect, it } from '@jest/globals';
import {
  CircuitBreaker,
  httpCircuitBreaker,
  OperationTimeoutError,
  RetryPolicy,
  TimeoutPolicy,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { everySeconds, hangs, rejection, scene } from '../operation/support.js';
import { blockFor, stalling } from './support.js';

describe('an attempt whose timeout came due in a blocked event loop, and whose breaker ignores local stalls', () => {
  it('takes the answer that has arrived meanwhile', async () => {
    const { clock, breaker, answers, begin, reports } = stalling();
    const { outcome, isSettled } = begin();
    await blockFor(clock, 0.4);
    expect(isSettled()).toBe(false);
    answers[0]?.resolve('fine');
    expect(await outcome).toMatchObject({ value: 'fine' });
    expect(reports[0]?.toJSON()).toMatchObject({
      status: 'succeeded',
      duration_seconds: 0.4,
      attempts: [{ status: 'succeeded', duration_seconds: 0.4, metadata: { local_stall: 0.3 } }],
    });
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('is given 20 ms for it, and no more', async () => {
    const { clock, begin, reports } = stalling();
    const { outcome, isSettled } = begin();
    await blockFor(clock, 0.4);
    await clock.advance('19ms');
    expect(isSettled()).toBe(false);
    await clock.advance('1ms');
    expect(isSettled()).toBe(true);
    expect(await outcome).toMatchObject({ error: { cause: { localStall: 0.3 } } });
    expect(reports[0]?.lastAttempt).toMatchObject({ status: 'timed_out', durationSeconds: 0.42 });
    expect(clock.pendingTimers).toBe(0);
  });

  it('is given a tenth of a long timeout', async () => {
    const { clock, begin, reports } = stalling({ timeout: 2 });
    const { outcome } = begin();
    await blockFor(clock, 2.5);
    await clock.advance(60);
    await outcome;
    expect(reports[0]?.lastAttempt).toMatchObject({ durationSeconds: 2.7, localStall: 0.5 });
  });

  it('is no failure of the dependency when it times out all the same, and no success', async () => {
    const { clock, breaker, answers, begin } = stalling({}, { ignoreLocalStalls: true, failureThreshold: 2 });
    const fail = begin();
    answers[0]?.reject(new Error('down'));
    await fail.outcome;
    const stalled = begin();
    await blockFor(clock, 0.4);
    await clock.advance(1);
    await stalled.outcome;
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 1 });
    expect(breaker.isIdle).toBe(true);
  });

  it('is deferred once: a second stall in a row ends it, and that counts as nothing either', async () => {
    const { clock, breaker, begin, reports } = stalling();
    const { outcome } = begin();
    await blockFor(clock, 0.4);
    await blockFor(clock, 0.5);
    await outcome;
    expect(reports[0]?.lastAttempt).toMatchObject({ status: 'timed_out', durationSeconds: 0.9 });
    expect(reports[0]?.lastAttempt?.localStall).toBe(0.48);
    expect(breaker.state).toBe('closed');
  });

  it('fails with what has arrived, which counts', async () => {
    const { clock, breaker, answers, begin, reports } = stalling();
    const { outcome } = begin();
    await blockFor(clock, 0.4);
    answers[0]?.reject(new Error('down'));
    await outcome;
    expect(reports[0]?.lastAttempt).toMatchObject({ status: 'failed', localStall: 0.3 });
    expect(breaker.state).toBe('open');
  });

  it('is retried like any other that timed out', async () => {
    const retry = new RetryPolicy({ maxAttempts: 2, backoff: everySeconds(0.5) });
    const { clock, breaker, answers, begin, reports } = stalling({ retry });
    const { outcome } = begin();
    await blockFor(clock, 0.4);
    await clock.advance(0.52);
    answers[1]?.resolve('fine');
    expect(await outcome).toMatchObject({ value: 'fine' });
    expect(reports[0]?.attempts.map(({ status, localStall }) => [status, localStall])).toEqual([
      ['timed_out', 0.3],
      ['succeeded', 0],
    ]);
    expect(breaker.state).toBe('closed');
  });

  it('leaves to the caller to go away meanwhile', async () => {
    const { signal, abort } = (() => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: () => controller.abort('gone') };
    })();
    const { clock, breaker, begin, reports } = stalling({ signal });
    const { outcome } = begin();
    await blockFor(clock, 0.4);
    abort();
    expect(await outcome).toEqual({ error: 'gone' });
    expect(reports[0]?.status).toBe('cancelled');
    expect([breaker.state, clock.pendingTimers]).toEqual(['closed', 0]);
  });

  it('leads to the fallback when it times out', async () => {
    const { clock, breaker, begin } = stalling({ fallback: () => 'kept' });
    const { outcome } = begin();
    await blockFor(clock, 0.4);
    await clock.advance(1);
    expect(await outcome).toMatchObject({ value: 'kept' });
    expect(breaker.state).toBe('closed');
  });
});

describe('a breaker that ignores local stalls', () => {
  it('counts a server that is slow while the loop turns', async () => {
    const { clock, breaker, begin, reports } = stalling();
    const { outcome } = begin();
    await clock.advance(1);
    await outcome;
    expect(reports[0]?.lastAttempt).toMatchObject({
      status: 'timed_out',
      durationSeconds: 0.1,
      localStall: 0,
    });
    expect(breaker.state).toBe('open');
  });

  it('counts a timeout after a stall that left the attempt time enough', async () => {
    const { clock, breaker, begin } = stalling();
    const { outcome } = begin();
    await blockFor(clock, 0.08);
    await clock.advance(1);
    await outcome;
    expect(breaker.state).toBe('open');
  });

  it('gives the place of a probe back, so that the next call is the probe', async () => {
    const { clock, breaker, answers, begin } = stalling();
    const down = begin();
    answers[0]?.reject(new Error('down'));
    await down.outcome;
    await clock.advance(1);
    const probe = begin();
    await blockFor(clock, 0.4);
    await clock.advance(1);
    await probe.outcome;
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', probesInFlight: 0 });
    const next = begin();
    answers[2]?.resolve('fine');
    await next.outcome;
    expect(breaker.state).toBe('closed');
  });

  it('is closed by a probe whose answer was read late', async () => {
    const { clock, breaker, answers, begin } = stalling();
    const down = begin();
    answers[0]?.reject(new Error('down'));
    await down.outcome;
    await clock.advance(1);
    const probe = begin();
    await blockFor(clock, 0.4);
    answers[1]?.resolve('fine');
    await probe.outcome;
    expect(breaker.state).toBe('closed');
  });

  it('does so for each of its keys', async () => {
    const { clock, breaker, begin } = stalling({ circuitBreaker: () => breaker.keyed('acme') });
    const { outcome } = begin();
    await blockFor(clock, 0.4);
    await clock.advance(1);
    await outcome;
    expect(breaker.keyed('acme').state).toBe('closed');
  });

  it.each([
    ['with a filter that counts everything', { recordFailureOn: () => true }],
    ['in front of an HTTP dependency', httpCircuitBreaker('rates')],
  ])('does so %s', async (_, options) => {
    const { clock, breaker, begin } = stalling({}, { ...options, ignoreLocalStalls: true });
    const { outcome } = begin();
    await blockFor(clock, 0.4);
    await clock.advance(1);
    await outcome;
    expect(breaker.state).toBe('closed');
  });

  it('ignores the stalled timeout of an operation inside, too', async () => {
    const clock = new FakeClock();
    const options = { failureThreshold: 1, ignoreLocalStalls: true, clock };
    const outer = new CircuitBreaker(options);
    const inner = scene(hangs, { timeout: 0.1 }, clock);
    const { run } = scene(() => inner.run(), { circuitBreaker: outer }, clock);
    const failing = rejection(run());
    await blockFor(clock, 0.4);
    await failing;
    expect([inner.reports[0]?.status, outer.state]).toEqual(['timed_out', 'closed']);
  });

  it('does so when it is used alone', async () => {
    const clock = new FakeClock();
    const policy = new TimeoutPolicy(0.1, { clock });
    const options = { failureThreshold: 1, clock };
    const [ignoring, usual] = [
      new CircuitBreaker({ ...options, ignoreLocalStalls: true }),
      new CircuitBreaker(options),
    ];
    const errors = [ignoring, usual].map((breaker) =>
      rejection<OperationTimeoutError>(breaker.run(() => policy.run(hangs))),
    );
    await blockFor(clock, 0.4);
    expect((await Promise.all(errors)).map(({ localStall }) => localStall)).toEqual([0.3, 0.3]);
    expect([ignoring.state, usual.state]).toEqual(['closed', 'open']);
  });
});
