import fc from 'fast-check';
import type { CircuitBreakerOptions } from '../../lib/index.js';
import type { RateLimits } from '../../lib/policies/circuit-breaker/rules/rate-rule.js';
import {
  lastCalls,
  latestTenths,
  naiveConsecutive,
  naiveEither,
  naiveRate,
  type NaiveRule,
} from './naive-rules.js';

export const RECOVERY_MS = 10_000;
export const LONGEST_RECOVERY_MS = 30_000;
export const LONGEST_TIMEOUT_MS = 25_000;
const LEASE_MS = 26_000;
/** No timeout is shorter, so all calls that time out are slow: it does not matter which of two is told of first. */
const SLOW_MS = 2_000;

/** The settings of a breaker in plain numbers. */
export interface Numbers {
  readonly failureThreshold: number | undefined;
  readonly rates: (RateLimits & { readonly windowCalls?: number; readonly windowMs?: number }) | undefined;
  readonly budget: { readonly limit: number; readonly perMs: number } | undefined;
  readonly recovery: {
    readonly initialMs: number;
    readonly factor: number;
    readonly maxMs: number;
    readonly jitter: number;
  };
  readonly probes: {
    readonly concurrent: number;
    readonly successes: number;
    readonly leaseMs: number | undefined;
  };
}

export function naiveRuleOf({ failureThreshold, rates }: Numbers): NaiveRule | undefined {
  const inARow = failureThreshold === undefined ? undefined : naiveConsecutive(failureThreshold);
  if (rates === undefined) return inARow;
  const { windowCalls, windowMs = 0 } = rates;
  const rate = naiveRate(rates, windowCalls === undefined ? latestTenths(windowMs) : lastCalls(windowCalls));
  return inARow === undefined ? rate : naiveEither(inARow, rate);
}

/** The same for a breaker. */
export function optionsOf({
  failureThreshold,
  rates,
  budget,
  recovery,
  probes,
}: Numbers): CircuitBreakerOptions {
  const { initialMs, factor, maxMs, jitter } = recovery;
  const finite = (value: number): number | undefined => (value === Infinity ? undefined : value);
  return {
    failureThreshold,
    ...(rates && {
      failureRate: finite(rates.failureRate),
      slowCallRate: finite(rates.slowCallRate),
      slowCallSeconds: rates.slowCallMs === Infinity ? undefined : `${rates.slowCallMs}ms`,
      minimumCalls: rates.minimumCalls,
      window: rates.windowCalls ?? `${rates.windowMs ?? 0}ms`,
    }),
    budget: budget && {
      limit: budget.limit,
      per: `${budget.perMs}ms`,
      cost: ({ cost = 0 }: { cost?: number }) => cost,
    },
    recoveryTimeout: { initial: `${initialMs}ms`, factor, max: `${maxMs}ms`, jitter },
    probes: {
      concurrent: probes.concurrent,
      successes: probes.successes,
      lease: probes.leaseMs === undefined ? undefined : `${probes.leaseMs}ms`,
    },
  };
}

const shares = fc.constantFrom(0.25, 0.5, 1);
const limits = fc.oneof(
  fc.record({ failureRate: shares, slowCallRate: fc.constant(Infinity), slowCallMs: fc.constant(Infinity) }),
  fc.record({ failureRate: shares, slowCallRate: shares, slowCallMs: fc.constant(SLOW_MS) }),
  fc.record({ failureRate: fc.constant(Infinity), slowCallRate: shares, slowCallMs: fc.constant(SLOW_MS) }),
);
const windows = fc.oneof(
  fc.integer({ min: 1, max: 6 }).chain((windowCalls) =>
    fc.record({
      windowCalls: fc.constant(windowCalls),
      minimumCalls: fc.integer({ min: 1, max: windowCalls }),
    }),
  ),
  fc.record({ windowMs: fc.constantFrom(10_000, 60_000), minimumCalls: fc.integer({ min: 1, max: 5 }) }),
);
const thresholds = fc.integer({ min: 1, max: 3 });
const rates = fc.tuple(limits, windows).map(([limit, window]) => ({ ...limit, ...window }));
const rules = fc.oneof(
  fc.record({ failureThreshold: thresholds, rates: fc.constant(undefined) }),
  fc.record({ failureThreshold: fc.constant(undefined), rates }),
  fc.record({ failureThreshold: thresholds, rates }),
);
/** Costs are quarters, which floating point adds up exactly. */
const budgets = fc.record({
  limit: fc.integer({ min: 1, max: 12 }).map((quarters) => quarters / 4),
  perMs: fc.constant(60_000),
});
const recoveries = fc.constantFrom(
  { initialMs: RECOVERY_MS, factor: 1, maxMs: RECOVERY_MS, jitter: 0 },
  { initialMs: RECOVERY_MS, factor: 2, maxMs: LONGEST_RECOVERY_MS, jitter: 0 },
  { initialMs: RECOVERY_MS, factor: 2, maxMs: LONGEST_RECOVERY_MS, jitter: 0.5 },
);
const probes = fc.record({
  concurrent: fc.constantFrom(1, 1, 2, 3, Infinity),
  successes: fc.constantFrom(1, 1, 2, 3),
  leaseMs: fc.constantFrom(undefined, undefined, LEASE_MS),
});

/** Every kind of rule, alone and beside others. */
export const anyNumbers: fc.Arbitrary<Numbers> = fc
  .tuple(
    fc.oneof(
      { weight: 3, arbitrary: rules.map((rule) => ({ ...rule, budget: undefined })) },
      { weight: 3, arbitrary: fc.tuple(rules, budgets).map(([rule, budget]) => ({ ...rule, budget })) },
      {
        weight: 1,
        arbitrary: budgets.map((budget) => ({ failureThreshold: undefined, rates: undefined, budget })),
      },
    ),
    fc.record({ recovery: recoveries, probes }),
  )
  .map(([rule, rest]) => ({ ...rule, ...rest }));
