import fc from 'fast-check';
import type { Numbers } from '../circuit-breaker/model-numbers.js';
import { printScenario } from './print.js';
import {
  DOORS,
  SIGNALS,
  type End,
  type Limit,
  type Plan,
  type PlannedCall,
  type Scenario,
  type Step,
  type Tag,
} from './scenario.js';

/**
 * Limits and waits are multiples of this, which floating point keeps exactly: so two of them may meet in one
 * millisecond, and the contract says what follows. Answers come in between, as nobody says what a draw would be.
 */
const GRID_MS = 250;

const grid = (min: number, max: number) => fc.integer({ min, max }).map((units) => units * GRID_MS);
const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 2) => fc.option(arbitrary, { nil: undefined, freq });
const offGrid = (most: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: most }), fc.integer({ min: 1, max: GRID_MS - 1 }))
    .map(([units, more]) => units * GRID_MS + more);

const ends = fc.oneof(
  { weight: 6, arbitrary: fc.constant<End>('good') },
  { weight: 6, arbitrary: fc.constantFrom<End>('plain', 'range') },
  { weight: 3, arbitrary: fc.constantFrom<End>('limited', 'bad') },
  { weight: 2, arbitrary: fc.constant<End>('hang') },
  {
    weight: 3,
    arbitrary: fc.constantFrom<End>(
      'poison',
      'final',
      'foreign timeout',
      'foreign refusal',
      'abort error',
      'text',
      'nothing',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom<End>('misuse', 'plain', 'plain') },
);
const hints = fc.oneof(
  { weight: 4, arbitrary: grid(0, 12) },
  { weight: 2, arbitrary: fc.constant('none' as const) },
  { weight: 1, arbitrary: fc.constantFrom('nonsense' as const, 'throws' as const) },
);
const step: fc.Arbitrary<Step> = fc.record({
  end: ends,
  afterMs: fc.oneof(fc.constant(0), offGrid(10)),
  bare: fc.boolean(),
  hint: hints,
  abortsAfterMs: fc.oneof(
    { weight: 14, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.oneof(fc.constant(0), offGrid(8)) },
  ),
  listens: fc.boolean(),
});

const TAGS: readonly Tag[] = [
  'plain',
  'range',
  'limited',
  'final',
  'foreign timeout',
  'foreign refusal',
  'text',
  'timeout',
  'deadline',
  'refused',
  'full',
  'invalid',
  'choked',
  'extraction',
];
const tags = fc.subarray([...TAGS], { minLength: 1 });
const backoff = fc.oneof(
  grid(0, 8).map((ms) => ({ kind: 'constant', ms }) as const),
  fc.record({ kind: fc.constant('exponential' as const), baseMs: grid(1, 3), maxMs: grid(4, 12) }),
);
const limitedTags = fc.oneof(
  fc.constant<Tag[]>(['limited']),
  fc.subarray<Tag>(['limited', 'range', 'timeout', 'refused', 'invalid', 'final', 'full', 'deadline'], {
    minLength: 1,
  }),
);

const plan: fc.Arbitrary<Plan> = fc
  .record({
    door: fc.constantFrom(...DOORS),
    signal: fc.constantFrom(...SIGNALS),
    retries: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4 })),
    retryOn: maybe(tags),
    backoff,
    timeoutMs: maybe(grid(1, 8)),
    deadlineMs: maybe(grid(1, 24)),
    idempotent: fc.integer({ min: 0, max: 3 }).map((one) => one > 0),
    usesBreaker: fc.boolean(),
    usesLimit: fc.integer({ min: 0, max: 3 }).map((one) => one === 0),
    validation: maybe(fc.record({ delayMs: fc.oneof(fc.constant(0), offGrid(4)) })),
    rateLimit: maybe(fc.record({ on: limitedTags, extracts: fc.boolean(), maxWaitMs: grid(0, 16) })),
    fallbacks: maybe(
      fc.record({
        simple: fc.boolean(),
        on: maybe(tags),
        candidates: fc.array(step, { minLength: 1, maxLength: 3 }),
      }),
    ),
    sink: fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      {
        weight: 1,
        arbitrary: fc.record({
          at: fc.nat(9),
          act: fc.constantFrom('throws' as const, 'rejects' as const, 'aborts' as const),
        }),
      },
    ),
  })
  .map((found) => ({
    ...found,
    fallbacks: found.fallbacks && {
      ...found.fallbacks,
      simple: found.fallbacks.simple && found.door !== 'builder' && found.fallbacks.candidates.length === 1,
    },
  }));

const numbers: fc.Arbitrary<Numbers> = fc
  .record({
    rule: fc.oneof(
      fc.integer({ min: 1, max: 3 }).map((failureThreshold) => ({ failureThreshold, rates: undefined })),
      fc
        .record({
          failureRate: fc.constantFrom(0.5, 1),
          slowCallRate: fc.constantFrom(Infinity, 0.5),
          windowCalls: fc.integer({ min: 2, max: 4 }),
          minimumCalls: fc.integer({ min: 1, max: 2 }),
        })
        .map((rates) => ({
          failureThreshold: undefined,
          rates: { ...rates, slowCallMs: rates.slowCallRate === Infinity ? Infinity : 2_000 },
        })),
      fc
        .record({ failureRate: fc.constantFrom(0.5, 1), minimumCalls: fc.integer({ min: 1, max: 3 }) })
        .map((rates) => ({
          failureThreshold: undefined,
          rates: { ...rates, slowCallRate: Infinity, slowCallMs: Infinity, windowMs: 10_000 },
        })),
    ),
    recovery: fc.constantFrom(
      { initialMs: 1_000, factor: 1, maxMs: 1_000, jitter: 0 },
      { initialMs: 500, factor: 2, maxMs: 4_000, jitter: 0 },
      { initialMs: 4_000, factor: 1, maxMs: 4_000, jitter: 0 },
    ),
    probes: fc.record({
      concurrent: fc.constantFrom(1, 1, 2),
      successes: fc.constantFrom(1, 1, 2),
      leaseMs: fc.constant(undefined),
    }),
  })
  .map(({ rule, recovery, probes }) => ({ ...rule, recovery, probes, budget: undefined }));

const limit: fc.Arbitrary<Limit> = fc.record({
  maxConcurrent: fc.integer({ min: 1, max: 2 }),
  queueSize: fc.integer({ min: 0, max: 2 }),
  maxWaitMs: maybe(offGrid(8)),
});

const call: fc.Arbitrary<PlannedCall> = fc.record({
  startMs: fc.oneof(offGrid(4), offGrid(40)),
  abortMs: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.oneof(offGrid(40), offGrid(12)) },
  ),
  plan,
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
});

export const scenarios: fc.Arbitrary<Scenario> = fc
  .record({
    breaker: numbers,
    uncounted: maybe(fc.subarray([...TAGS]), 3),
    limit,
    calls: fc.array(call, { minLength: 1, maxLength: 5 }),
  })
  .map((scenario) => Object.assign(scenario, { [fc.toStringMethod]: () => printScenario(scenario) }));
