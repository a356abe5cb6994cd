import { describe, expect, it } from '@jest/globals';
import { asyncOperation, CircuitBreaker } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { withRules } from './scenes.js';

describe('the period of a budget', () => {
  // In floating point, the part of a period that such a moment belongs to is found one too early.
  it.each([
    { per: 0.5, spentMs: 17, freeMs: 525 },
    { per: 1, spentMs: 34, freeMs: 1_050 },
    { per: 2, spentMs: 67, freeMs: 2_100 },
    { per: 19, spentMs: 634, freeMs: 19_950 },
  ])('of $per s is over in the millisecond that it says', async ({ per, spentMs, freeMs }) => {
    const { clock, breaker } = withRules({ budget: { limit: 1, per } });
    await clock.advance(`${spentMs}ms`);
    breaker.spend(1);
    expect(breaker.snapshot().retryAfterSeconds).toBeCloseTo((freeMs - spentMs) / 1_000, 9);
    await clock.advance(`${freeMs - spentMs - 1}ms`);
    expect(breaker.snapshot().budget?.spent).toBe(1);
    await clock.advance('1ms');
    expect(breaker.snapshot()).toMatchObject({ budget: { spent: 0 }, retryAfterSeconds: 0 });
  });

  it('adds up fractions when it opens as it does when it waits', async () => {
    // One after another these are 0.6000000000000001, and the latest two first they are 0.6.
    const { clock, breaker } = withRules({ budget: { limit: 0.1 + 0.2 + 0.3, per: '60s' } });
    breaker.spend(0.1);
    await clock.advance(1);
    breaker.spend(0.2);
    breaker.spend(0.3);
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', budget: { spent: 0.6 } });
  });

  it('goes on where the calls come with another clock: what is left of it stays left', async () => {
    const early = new FakeClock();
    const late = new FakeClock();
    await early.advance(7);
    await late.advance(1_000);
    const breaker = new CircuitBreaker({ budget: { limit: 10, per: '60s' } });
    const callBy = (clock: FakeClock) =>
      asyncOperation('ask', () => 'up', { clock })
        .withCircuitBreaker(breaker)
        .run();
    await callBy(early);
    breaker.spend(4);
    await early.advance(20);
    await callBy(late);
    expect(breaker.snapshot().budget?.spent).toBe(4);
    breaker.spend(6);
    // A period is kept in parts of a second, and the first call came in the midst of one.
    const { state, retryAfterSeconds } = breaker.snapshot();
    expect([state, Math.ceil(retryAfterSeconds ?? NaN)]).toEqual(['open', 41]);
    await late.advance('39999ms');
    expect(breaker.snapshot().budget?.spent).toBe(10);
    await late.advance('1001ms');
    expect(breaker.snapshot()).toMatchObject({ budget: { spent: 6 }, retryAfterSeconds: 0 });
    await late.advance(20);
    expect(breaker.snapshot().budget?.spent).toBe(0);
  });
});
