import { describe, expect, it } from '@jest/globals';
import { asyncOperation, CircuitBreaker, RetryPolicy } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, everySeconds, rejection, rejects, Upstream } from '../operation/support.js';
import { play, statesOf, takes, withRules } from './scenes.js';

describe('a failure rate over the last calls', () => {
  it('opens exactly at the rate, and not one failure below it', async () => {
    const { breaker } = withRules({ failureRate: 0.5, window: 10 });
    await play(breaker, 'SSSSSSFFFF');
    expect(breaker.snapshot()).toMatchObject({
      state: 'closed',
      calls: 10,
      failureCount: 4,
      failureRate: 0.4,
    });
    await play(breaker, 'F');
    expect(breaker.snapshot()).toMatchObject({
      state: 'open',
      openedBy: 'failure_rate',
      calls: 10,
      failureCount: 5,
      failureRate: 0.5,
      slowCalls: null,
      slowCallRate: null,
      failureThreshold: null,
      retryAfterSeconds: 10,
    });
  });

  it('judges shares that floating point cannot multiply out', async () => {
    const { breaker } = withRules({ failureRate: 0.07, window: 100 });
    await play(breaker, 'S'.repeat(93) + 'F'.repeat(6));
    expect(breaker.state).toBe('closed');
    await play(breaker, 'F');
    expect(breaker.snapshot()).toMatchObject({ state: 'open', failureRate: 0.07 });
  });

  it('slides: failures that are too many calls ago have dropped out', async () => {
    const { breaker } = withRules({ failureRate: 0.5, window: 4 });
    expect(await statesOf(breaker, 'FSSSFSSSFSSSF')).toBe('ccccccccccccc');
    expect(breaker.snapshot()).toMatchObject({ calls: 4, failureCount: 1, failureRate: 0.25 });
    expect(await statesOf(breaker, 'SF')).toBe('co');
  });

  it('judges nobody before the window is full, where no minimum is given', async () => {
    const { breaker } = withRules({ failureRate: 0.5, window: 5 });
    expect(await statesOf(breaker, 'FFFFF')).toBe('cccco');
  });

  it('has a window of 20 calls where none is given', async () => {
    const { breaker } = withRules({ failureRate: 0.5 });
    expect(await statesOf(breaker, 'F'.repeat(20))).toBe(`${'c'.repeat(19)}o`);
  });

  it('opens at the call that makes the minimum, and at none before', async () => {
    // B062
    const { breaker } = withRules({ failureRate: 0.5, window: 100, minimumCalls: 5 });
    expect(await statesOf(breaker, 'FFFFF')).toBe('cccco');
    expect(breaker.snapshot()).toMatchObject({ calls: 5, failureCount: 5, failureRate: 1 });
  });

  it('opens at a success, too, where that completes the minimum', async () => {
    const { breaker } = withRules({ failureRate: 0.5, window: 100, minimumCalls: 5 });
    expect(await statesOf(breaker, 'FFFFS')).toBe('cccco');
    expect(breaker.snapshot()).toMatchObject({ calls: 5, failureCount: 4, failureRate: 0.8 });
    await play(breaker, 'R');
  });

  it('of 1 can be reached, and one success in the window is enough against it', async () => {
    // B069
    const { breaker } = withRules({ failureRate: 1, window: 3 });
    expect(await statesOf(breaker, 'FFSFFSFFF')).toBe('cccccccco');
  });

  it('begins anew when it closes: what was before does not count', async () => {
    const { clock, breaker } = withRules({ failureRate: 0.5, window: 4 });
    await play(breaker, 'FFFF');
    await clock.advance(10);
    await play(breaker, 'S');
    expect(breaker.snapshot()).toMatchObject({
      state: 'closed',
      calls: 0,
      failureCount: 0,
      failureRate: null,
    });
    expect(await statesOf(breaker, 'FFFF')).toBe('ccco');
  });

  it('stands beside failures in a row, and either opens', async () => {
    const both = { failureThreshold: 3, failureRate: 0.5, window: 6 };
    const inARow = withRules(both).breaker;
    await play(inARow, 'SFFF');
    expect(inARow.snapshot()).toMatchObject({
      openedBy: 'consecutive_failures',
      failureCount: 3,
      failureThreshold: 3,
      calls: 4,
      failureRate: 0.75,
    });
    const byRate = withRules(both).breaker;
    await play(byRate, 'SFSFSF');
    expect(byRate.snapshot()).toMatchObject({ openedBy: 'failure_rate', failureCount: 1, failureRate: 0.5 });
  });
});

describe('a failure rate over the latest time', () => {
  it('needs ten calls where no minimum is given', async () => {
    const { breaker } = withRules({ failureRate: 0.5, window: '60s' });
    expect(await statesOf(breaker, 'FFFFFFFFFF')).toBe('ccccccccco');
  });

  it('forgets all of an idle time before it judges the next call', async () => {
    // B067
    const { clock, breaker } = withRules({ failureRate: 0.9, window: '1s', minimumCalls: 51 });
    await play(breaker, 'F'.repeat(50));
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', calls: 50, failureRate: 1 });
    await clock.advance(5);
    expect(breaker.snapshot()).toMatchObject({ calls: 0, failureCount: 0, failureRate: null });
    await play(breaker, 'S');
    expect(breaker.snapshot()).toMatchObject({ calls: 1, failureCount: 0, failureRate: 0 });
  });

  it('counts a call when it ends, however long it took', async () => {
    // B066
    const scene = withRules({ failureRate: 0.5, window: '10s', minimumCalls: 2 });
    const slow = [takes(scene, 12, 'F'), takes(scene, 12, 'F')];
    await Promise.all(slow);
    expect(scene.breaker.snapshot()).toMatchObject({ state: 'open', calls: 2, failureRate: 1 });
  });

  it('keeps a fixed size for any number of calls', () => {
    // B066
    const { breaker } = withRules({ failureRate: 0.9, window: '10s' });
    const permit = breaker.admit(new FakeClock())!;
    for (let call = 0; call < 1_000_000; call += 1) breaker.recordSuccess(permit, call / 100, 1);
    breaker.recordFailure(permit, 10_000, 1);
    // Nine tenths of the window are full, and the tenth has begun.
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 1 });
    const sizes = Object.values((breaker as any).rule.window).flatMap((value: any) => value?.length ?? []);
    expect(sizes).toEqual([20]);
  });

  it('counts attempts, so that calls with slow retries are not too few to judge', async () => {
    // B064: 8 failures in 15 s, by one caller whose calls take 7.5 s.
    const clock = new FakeClock();
    const breaker = new CircuitBreaker({ failureRate: 1, window: '15s', minimumCalls: 8, clock });
    const upstream = new Upstream(rejects(new Error('down')));
    const retry = new RetryPolicy({ maxAttempts: 5, backoff: { delayForRetry: (n) => 0.5 * 2 ** (n - 1) } });
    const operation = asyncOperation('charge', upstream.call, { clock })
      .withRetry(retry)
      .withCircuitBreaker(breaker);
    await clock.settle(rejection(operation.run()));
    expect([clock.monotonicMs(), breaker.state, upstream.calls.length]).toEqual([7_500, 'closed', 5]);
    await clock.settle(rejection(operation.run()));
    expect(breaker.snapshot()).toMatchObject({ state: 'open', openedAt: new Date('2026-01-01T00:00:09Z') });
    expect(upstream.calls).toHaveLength(8);
  });

  it('is never judged by calls that the caller gave up, or errors that are not recorded', async () => {
    const { breaker } = withRules({ failureRate: 0.5, window: 4, recordFailureOn: [RangeError] });
    await play(breaker, 'FFFFFFFF');
    const aborted = AbortSignal.abort();
    for (let call = 0; call < 4; call += 1)
      await rejection(breaker.runWith({ signal: aborted }, () => 'never'));
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', calls: 0, failureRate: null });
  });

  it('is the same in operations that wait between attempts', async () => {
    const clock = new FakeClock();
    const breaker = new CircuitBreaker({ failureRate: 0.5, window: 3, recoveryTimeout: 60, clock });
    const upstream = new Upstream(after(clock, 1, rejects(new Error('down'))));
    const operation = asyncOperation('charge', upstream.call, { clock })
      .withRetry(new RetryPolicy({ maxAttempts: 5, backoff: everySeconds(4) }))
      .withCircuitBreaker(breaker);
    await clock.settle(rejection(operation.run()));
    expect(upstream.calls).toHaveLength(3);
    expect(breaker.snapshot()).toMatchObject({ calls: 3, openedAt: new Date('2026-01-01T00:00:11Z') });
    expect(clock.pendingTimers).toBe(0);
  });
});
