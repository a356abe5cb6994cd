import type { RuleNumbers, TripRuleName } from '../../lib/index.js';
import type { RateLimits } from '../../lib/policies/circuit-breaker/rules/rate-rule.js';

/** How one call ended, and when, in milliseconds. */
export interface Outcome {
  readonly atMs: number;
  readonly failed: boolean;
  readonly durationMs: number;
}

/** A rule that keeps every outcome and counts them anew each time. */
export interface NaiveRule {
  judge(outcomes: readonly Outcome[]): TripRuleName | undefined;
  numbers(outcomes: readonly Outcome[], nowMs: number): RuleNumbers;
}

export function naiveConsecutive(threshold: number): NaiveRule {
  const inARow = (outcomes: readonly Outcome[]): number =>
    outcomes.length - 1 - outcomes.map(({ failed }) => failed).lastIndexOf(false);
  return {
    judge: (outcomes) =>
      outcomes.at(-1)?.failed === true && inARow(outcomes) >= threshold ? 'consecutive_failures' : undefined,
    numbers: (outcomes) => ({
      failures: inARow(outcomes),
      calls: null,
      failureRate: null,
      slowCalls: null,
      slowCallRate: null,
    }),
  };
}

/** The last so many calls. */
export const lastCalls =
  (size: number) =>
  (outcomes: readonly Outcome[]): readonly Outcome[] =>
    outcomes.slice(-size);

/** The calls of the latest ten tenths of a window, the running one included. */
export const latestTenths =
  (lengthMs: number) =>
  (outcomes: readonly Outcome[], nowMs: number): readonly Outcome[] => {
    const tenth = (ms: number): number => Math.floor(ms / (lengthMs / 10));
    return outcomes.filter(({ atMs }) => tenth(atMs) > tenth(nowMs) - 10);
  };

export function naiveRate(
  { failureRate, slowCallRate, slowCallMs, minimumCalls }: RateLimits,
  windowOf: (outcomes: readonly Outcome[], nowMs: number) => readonly Outcome[],
): NaiveRule {
  const numbers = (outcomes: readonly Outcome[], nowMs: number): RuleNumbers => {
    const window = windowOf(outcomes, nowMs);
    const failures = window.filter(({ failed }) => failed).length;
    const slowCalls = window.filter(({ durationMs }) => durationMs > slowCallMs).length;
    const share = (count: number): number | null => (window.length === 0 ? null : count / window.length);
    const slow = slowCallMs === Infinity ? null : slowCalls;
    return {
      failures,
      calls: window.length,
      failureRate: share(failures),
      slowCalls: slow,
      slowCallRate: slow === null ? null : share(slow),
    };
  };
  return {
    numbers,
    judge(outcomes) {
      const found = numbers(outcomes, outcomes.at(-1)?.atMs ?? 0);
      if ((found.calls ?? 0) < minimumCalls) return undefined;
      if ((found.failureRate ?? 0) >= failureRate) return 'failure_rate';
      return (found.slowCallRate ?? 0) >= slowCallRate ? 'slow_call_rate' : undefined;
    },
  };
}

export function naiveEither(first: NaiveRule, second: NaiveRule): NaiveRule {
  return {
    judge: (outcomes) => first.judge(outcomes) ?? second.judge(outcomes),
    numbers: (outcomes, nowMs) => ({
      ...second.numbers(outcomes, nowMs),
      failures: first.numbers(outcomes, nowMs).failures,
    }),
  };
}
