import { describe, expect, it } from '@jest/globals';
import { currentAttempt } from '../../lib/index.js';
import { rejection } from '../operation/support.js';
import { play, withRules } from './scenes.js';
import { beginCall, failWith, refusedCall } from './support.js';

const cost = (result: { tokens: number }): number => result.tokens;
const tokens = (count: number) => () => ({ tokens: count });
const spend = (amount: number): string => {
  currentAttempt().spend(amount);
  return 'done';
};

describe('a budget', () => {
  it('takes the cost of each result, and opens with the call that crosses the limit', async () => {
    const { breaker } = withRules({ budget: { limit: 100, per: '60s', cost } });
    await breaker.run(tokens(60));
    expect(breaker.snapshot()).toMatchObject({
      state: 'closed',
      budget: { spent: 60, limit: 100, perSeconds: 60 },
      failureCount: 0,
      failureThreshold: null,
      calls: null,
    });
    expect(await breaker.run(tokens(60))).toEqual({ tokens: 60 });
    expect(breaker.snapshot()).toMatchObject({
      state: 'open',
      openedBy: 'budget',
      budget: { spent: 120, limit: 100, perSeconds: 60 },
      probeDue: false,
    });
    const { error, calls } = await refusedCall(breaker);
    expect(calls).toBe(0);
    expect(error).toMatchObject({ state: 'open', reason: 'budget', retryAfterSeconds: 61 });
    expect(error.details).toMatchObject({ openedBy: 'budget', spent: 120, limit: 100, failures: 0 });
  });

  it('opens when the limit is reached exactly', async () => {
    const { breaker } = withRules({ budget: { limit: 100, per: '60s', cost } });
    await breaker.run(tokens(99));
    expect(breaker.state).toBe('closed');
    await breaker.run(tokens(1));
    expect(breaker.state).toBe('open');
  });

  it('is open for exactly as long as it says, and then closes without a probe', async () => {
    const { clock, breaker } = withRules({ budget: { limit: 100, per: '60s', cost } });
    await clock.advance('20500ms');
    await breaker.run(tokens(70));
    await clock.advance(10);
    await breaker.run(tokens(50));
    // The first part of the period that holds 70 of them goes as a whole.
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterSeconds: 50.5 });
    await clock.advance('50499ms');
    expect((await refusedCall(breaker)).error.retryAfterSeconds).toBeCloseTo(0.001, 9);
    await clock.advance('1ms');
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterSeconds: 0 });
    const [one, other] = [beginCall(breaker), beginCall(breaker)];
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', budget: { spent: 50 }, openedBy: null });
    one.reject(new Error('down'));
    other.reject(new Error('down'));
    await Promise.allSettled([one.outcome, other.outcome]);
    expect(breaker.state).toBe('closed');
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not care for the recovery time', async () => {
    const { breaker } = withRules({ recoveryTimeout: '1h', budget: { limit: 1, per: '60s', cost } });
    await breaker.run(tokens(1));
    expect(breaker.snapshot().retryAfterSeconds).toBe(61);
  });

  it('takes what a running method says of its cost, whether it succeeds or fails', async () => {
    const { breaker } = withRules({ budget: { limit: 100, per: '60s' } });
    await breaker.run(() => spend(30));
    await failWith(breaker, new Error('down'));
    await rejection(
      breaker.run(() => {
        spend(30);
        throw new Error('down');
      }),
    );
    breaker.spend(5);
    expect(breaker.snapshot().budget).toEqual({ spent: 65, limit: 100, perSeconds: 60 });
  });

  it('adds both kinds of cost up', async () => {
    const { breaker } = withRules({ budget: { limit: 100, per: '60s', cost } });
    await breaker.run(() => {
      currentAttempt().spend(10);
      return { tokens: 7 };
    });
    expect(breaker.snapshot().budget?.spent).toBe(17);
  });

  it('keeps what the rules have counted through its pause', async () => {
    const { clock, breaker } = withRules({ failureThreshold: 3, budget: { limit: 10, per: '60s', cost } });
    await play(breaker, 'FF');
    breaker.spend(10);
    expect(breaker.snapshot()).toMatchObject({ state: 'open', openedBy: 'budget', failureCount: 2 });
    await clock.advance(61);
    await play(breaker, 'F');
    expect(breaker.snapshot()).toMatchObject({
      state: 'open',
      openedBy: 'consecutive_failures',
      failureCount: 3,
    });
  });

  it('keeps it open beyond the recovery time, where both wait', async () => {
    const { clock, breaker } = withRules({ failureThreshold: 1, budget: { limit: 10, per: '60s' } });
    await play(breaker, 'F');
    breaker.spend(10);
    expect(breaker.snapshot()).toMatchObject({ openedBy: 'consecutive_failures', retryAfterSeconds: 61 });
    await clock.advance(61);
    expect(breaker.snapshot().probeDue).toBe(true);
    const probe = beginCall(breaker);
    expect(breaker.state).toBe('half_open');
    probe.resolve('up');
    await probe.outcome;
    expect(breaker.state).toBe('closed');
  });

  it('that is spent while it is half-open leaves the probe owed', async () => {
    const { clock, breaker } = withRules({ failureThreshold: 1, budget: { limit: 10, per: '60s' } });
    await play(breaker, 'F');
    await clock.advance(10);
    const probe = beginCall(breaker);
    breaker.spend(10);
    expect(breaker.snapshot()).toMatchObject({ state: 'open', openedBy: 'budget', retryAfterSeconds: 61 });
    probe.resolve('up');
    await probe.outcome;
    expect(breaker.state).toBe('open');
    await clock.advance(61);
    const next = beginCall(breaker);
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', probesInFlight: 1 });
    next.resolve('up');
    await next.outcome;
    expect(breaker.state).toBe('closed');
  });

  it('is empty again after reset(), and is not charged while an operator holds the breaker closed', async () => {
    const { breaker } = withRules({ budget: { limit: 10, per: '60s', cost } });
    await breaker.run(tokens(10));
    breaker.reset();
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', budget: { spent: 0 } });
    breaker.forceClosed('an important night');
    await breaker.run(tokens(50));
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', budget: { spent: 0 } });
  });
});
