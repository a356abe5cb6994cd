import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Budget } from '../../lib/policies/circuit-breaker/budget.js';
import { ConsecutiveFailures } from '../../lib/policies/circuit-breaker/rules/consecutive-failures.js';
import { EitherRule } from '../../lib/policies/circuit-breaker/rules/either-rule.js';
import { CountWindow, TimeWindow } from '../../lib/policies/circuit-breaker/rules/outcome-window.js';
import { RateRule, type RateLimits } from '../../lib/policies/circuit-breaker/rules/rate-rule.js';
import type { TripRule } from '../../lib/policies/circuit-breaker/rules/trip-rule.js';
import {
  lastCalls,
  latestTenths,
  naiveConsecutive,
  naiveEither,
  naiveRate,
  type NaiveRule,
  type Outcome,
} from './naive-rules.js';

const runs = { numRuns: 300, seed: 20260101 };
const WINDOW_MS = 1_000;

/** How much later than the one before a call ends: mostly soon, sometimes after an idle time. */
const gapMs = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 150 }) },
  fc.integer({ min: 0, max: 5_000 }),
);
const steps = fc.array(
  fc.record({ gapMs, failed: fc.boolean(), durationMs: fc.integer({ min: 0, max: 10 }), resets: fc.nat(40) }),
  { maxLength: 120 },
);
const share = fc.oneof(
  fc.constant(Infinity),
  fc.integer({ min: 1, max: 100 }).map((hundredth) => hundredth / 100),
);
const limits: fc.Arbitrary<RateLimits> = fc.record({
  failureRate: share,
  slowCallRate: share,
  slowCallMs: fc.constantFrom(5, Infinity),
  minimumCalls: fc.integer({ min: 1, max: 12 }),
});
type Steps = typeof steps extends fc.Arbitrary<infer S> ? S : never;

/** Plays the steps to both; a step may forget everything first, as a breaker does that closes. */
function expectSame(rule: TripRule, naive: NaiveRule, given: Steps): void {
  let nowMs = 0;
  let outcomes: Outcome[] = [];
  for (const { gapMs: gap, failed, durationMs, resets } of given) {
    nowMs += gap;
    expect(rule.numbers(nowMs)).toEqual(naive.numbers(outcomes, nowMs));
    if (resets === 0) {
      rule.reset();
      outcomes = [];
    }
    outcomes.push({ atMs: nowMs, failed, durationMs });
    const tripped = failed ? rule.onFailure(nowMs, durationMs) : rule.onSuccess(nowMs, durationMs);
    expect(tripped).toBe(naive.judge(outcomes));
    expect(rule.numbers(nowMs)).toEqual(naive.numbers(outcomes, nowMs));
  }
}

describe('for any outcomes at any times, beside a list of all of them', () => {
  it('failures in a row are the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), steps, (threshold, given) =>
        expectSame(new ConsecutiveFailures(threshold), naiveConsecutive(threshold), given),
      ),
      runs,
    );
  });

  it('rates of the last calls are the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), limits, steps, (size, rates, given) =>
        expectSame(new RateRule(new CountWindow(size), rates), naiveRate(rates, lastCalls(size)), given),
      ),
      runs,
    );
  });

  it('rates of the latest time are the same, after idle times too', () => {
    fc.assert(
      fc.property(limits, steps, (rates, given) =>
        expectSame(
          new RateRule(new TimeWindow(WINDOW_MS, rates.slowCallMs !== Infinity), rates),
          naiveRate(rates, latestTenths(WINDOW_MS)),
          given,
        ),
      ),
      runs,
    );
  });

  it('two rules beside each other are the same, the first one named where both open', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), limits, steps, (threshold, rates, given) =>
        expectSame(
          new EitherRule(
            new ConsecutiveFailures(threshold),
            new RateRule(new TimeWindow(WINDOW_MS, rates.slowCallMs !== Infinity), rates),
          ),
          naiveEither(naiveConsecutive(threshold), naiveRate(rates, latestTenths(WINDOW_MS))),
          given,
        ),
      ),
      runs,
    );
  });

  it('time that goes on by another clock changes no count', () => {
    fc.assert(
      fc.property(limits, steps, fc.integer({ min: -9_000, max: 9_000 }), (rates, given, shiftMs) => {
        const [one, other] = [0, 1].map(
          () => new RateRule(new TimeWindow(WINDOW_MS, rates.slowCallMs !== Infinity), rates),
        ) as [RateRule, RateRule];
        other.shift(shiftMs);
        let nowMs = 0;
        for (const step of given) {
          nowMs += step.gapMs;
          expect(other.onFailure(nowMs + shiftMs, step.durationMs)).toBe(
            one.onFailure(nowMs, step.durationMs),
          );
          expect(other.numbers(nowMs + shiftMs)).toEqual(one.numbers(nowMs));
        }
      }),
      runs,
    );
  });
});

describe('a budget, beside a list of all that was spent', () => {
  const PER_MS = 60_000;
  const part = (ms: number): number => Math.floor(ms / (PER_MS / 60));
  const spends = (amount: fc.Arbitrary<number>) =>
    fc.array(fc.record({ gapMs: fc.oneof(fc.nat(3_000), fc.nat(90_000)), amount }), { maxLength: 80 });

  it('counts the same, and never lets more than the limit be spent in a period, but for the call that crosses it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), spends(fc.nat(120)), (limit, given) => {
        const budget = new Budget({ limit, perMs: PER_MS, cost: undefined });
        const all: { atMs: number; amount: number }[] = [];
        let nowMs = 0;
        for (const { gapMs: gap, amount } of given) {
          nowMs += gap;
          if (budget.waitMs(nowMs) > 0) nowMs += budget.waitMs(nowMs);
          const sinceMs = nowMs - PER_MS;
          const inPeriod = all.filter(({ atMs }) => atMs > sinceMs).reduce((sum, one) => sum + one.amount, 0);
          expect(inPeriod).toBeLessThan(limit);
          all.push({ atMs: nowMs, amount });
          const kept = all.filter(({ atMs }) => part(atMs) >= part(nowMs) - 60);
          const spent = kept.reduce((sum, one) => sum + one.amount, 0);
          expect(budget.spend(nowMs, amount)).toBe(spent >= limit);
          expect(budget.numbers(nowMs)).toEqual({ spent, limit, perSeconds: 60 });
        }
      }),
      runs,
    );
  });

  it.each([
    ['tokens', 1],
    ['fractions of money', 1_000],
  ])('says to the moment when it is free again, in %s', (_, parts) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }).map((amount) => amount / parts),
        fc.integer({ min: 1, max: 100_000 }),
        spends(fc.nat(120).map((amount) => amount / parts)),
        (limit, perMs, given) => {
          const budget = new Budget({ limit, perMs, cost: undefined });
          let nowMs = 0.25;
          for (const { gapMs: gap, amount: spent } of given) {
            nowMs += gap / 7;
            const isUsedUp = budget.spend(nowMs, spent);
            const waitMs = budget.waitMs(nowMs);
            expect(waitMs > 0).toBe(isUsedUp);
            if (!isUsedUp) continue;
            expect(budget.waitMs(nowMs + waitMs * 0.999_999)).toBeGreaterThan(0);
            // Less than a microsecond is what a breaker takes for a wait that is over.
            expect(budget.waitMs(nowMs + waitMs)).toBeLessThan(0.001);
            nowMs += waitMs;
          }
        },
      ),
      runs,
    );
  });
});
