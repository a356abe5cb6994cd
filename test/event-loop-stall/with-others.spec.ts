import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { hangs, rejection } from '../operation/support.js';
import { client } from '../shield/client.js';
import { blockFor, stalling } from './support.js';

describe('a deadline that came due in a blocked event loop', () => {
  it('is deferred with the timeout, where the breaker ignores local stalls', async () => {
    const { clock, answers, begin, reports } = stalling({ deadline: 0.3 });
    const { outcome, isSettled } = begin();
    await blockFor(clock, 0.4);
    expect(isSettled()).toBe(false);
    answers[0]?.resolve('fine');
    expect(await outcome).toMatchObject({ value: 'fine' });
    expect(reports[0]?.lastAttempt?.localStall).toBe(0.3);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends the call all the same a moment later', async () => {
    const { clock, breaker, begin, reports } = stalling({ timeout: false, deadline: 0.3, retries: 3 });
    const { outcome } = begin();
    await blockFor(clock, 0.4);
    await clock.advance(0.03);
    expect(await outcome).toMatchObject({ error: { cause: { scope: 'deadline', localStall: 0.1 } } });
    expect(reports[0]?.toJSON()).toMatchObject({
      status: 'timed_out',
      duration_seconds: 0.43,
      attempt_count: 1,
      metadata: { local_stall: 0.1, deadline_exhausted: true },
    });
    expect([breaker.state, clock.pendingTimers]).toEqual(['closed', 0]);
  });

  it('and outlived the timeout because of that counts against no breaker that ignores local stalls', async () => {
    // Due at 300 ms, the timeout of the attempt at 350 ms: the deadline's timer comes first, and both are over.
    for (const [ignoreLocalStalls, state] of [
      [true, 'closed'],
      [false, 'open'],
    ] as const) {
      const { clock, breaker, begin } = stalling({ deadline: 0.3, timeout: 0.35 }, { ignoreLocalStalls });
      const { outcome } = begin();
      await blockFor(clock, 0.4);
      await clock.advance(1);
      expect(await outcome).toMatchObject({ error: { cause: { scope: 'deadline' } } });
      expect(breaker.state).toBe(state);
    }
  });

  it('is not deferred where nothing asks for that', async () => {
    const { clock, begin, reports } = stalling({ deadline: 0.3 }, {});
    const { outcome } = begin();
    await blockFor(clock, 0.4);
    await outcome;
    expect(reports[0]?.toJSON()).toMatchObject({ duration_seconds: 0.4, metadata: { local_stall: 0.3 } });
  });

  it('is not deferred while the call waits between two attempts', async () => {
    const { clock, answers, begin, reports } = stalling({
      deadline: 1,
      retries: 1,
      backoff: { delayForRetry: () => 0.9 },
      circuitBreaker: undefined,
    });
    const { outcome } = begin();
    answers[0]?.reject(new Error('down'));
    await blockFor(clock, 5);
    expect(await outcome).toMatchObject({ error: { cause: new Error('down') } });
    expect(reports[0]?.toJSON()).toMatchObject({ attempt_count: 1, metadata: { deadline_exhausted: true } });
    expect(JSON.stringify(reports[0])).not.toContain('local_stall');
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a shield whose attempt timed out in a blocked event loop', () => {
  /** What it has learnt of one attempt that hung past a stall of a second more than its timeout. */
  async function learnt(ignoreLocalStalls: boolean) {
    const clock = new FakeClock();
    const breaker = new CircuitBreaker({ failureThreshold: 1, ignoreLocalStalls, clock });
    const { shield, visit } = client(hangs, { clock, beside: { circuitBreaker: breaker } });
    const outcome = rejection(visit());
    const { timeoutSeconds } = shield.snapshot();
    await blockFor(clock, timeoutSeconds + 1);
    await clock.advance(timeoutSeconds / 10);
    const { engaged, samples } = shield.snapshot();
    const { state } = breaker;
    await clock.settle(outcome);
    return { engaged, samples, state };
  }

  it('learns as much as of any other timeout', async () => {
    expect(await learnt(false)).toEqual({ engaged: true, samples: 1, state: 'open' });
  });

  it('learns nothing of it where its breaker ignores local stalls', async () => {
    expect(await learnt(true)).toEqual({ engaged: false, samples: 0, state: 'closed' });
  });
});
