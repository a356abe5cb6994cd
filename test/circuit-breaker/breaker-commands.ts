import fc from 'fast-check';
import { Answer, Call, Settle, Spend } from './breaker-calls.js';
import { Advance, Await, Chance, Operate, Restart, StepWall } from './breaker-moments.js';
import type { Step } from './breaker-steps.js';
import { anyNumbers, LONGEST_TIMEOUT_MS, RECOVERY_MS } from './model-numbers.js';
import type { System } from './model-system.js';
import type { Outcome, ReferenceBreaker } from './reference-breaker.js';

const timeouts = fc.constantFrom(undefined, undefined, 4_000, RECOVERY_MS, LONGEST_TIMEOUT_MS);
const outcomes = fc.constantFrom<Outcome>(
  'success',
  'success',
  'failure',
  'failure',
  'failure',
  'failure',
  'ignored',
  'cancelled',
);
const steps = fc.oneof(
  fc.constantFrom(1, RECOVERY_MS - 1, RECOVERY_MS, RECOVERY_MS + 1, 2_000, 2_001, 4_000, LONGEST_TIMEOUT_MS),
  fc.integer({ min: 0, max: 2 * RECOVERY_MS }),
);
const costs = fc.constantFrom(0, 0.25, 0.5, 1);
// Of the calls still at work mostly the latest two, which are the probes when there are any.
const which = fc.oneof(fc.constantFrom(-1, -2), fc.nat(20));
const walls = fc.tuple(fc.integer({ min: 1, max: 100_000 }), fc.constantFrom('forward', 'back' as const));
const holds = fc.constantFrom(null, null, 'open' as const, 'closed' as const);

const command: fc.Arbitrary<Step> = fc.oneof(
  { weight: 24, arbitrary: timeouts.map((timeoutMs) => new Call(timeoutMs)) },
  { weight: 24, arbitrary: fc.tuple(which, outcomes, costs).map((settled) => new Settle(...settled)) },
  { weight: 12, arbitrary: fc.tuple(outcomes, costs).map((answered) => new Answer(...answered)) },
  { weight: 6, arbitrary: fc.constantFrom(0, 0, 1, -1).map((ms) => new Await(ms)) },
  { weight: 16, arbitrary: steps.map((ms) => new Advance(ms)) },
  {
    weight: 5,
    arbitrary: fc.tuple(fc.oneof(fc.constant(undefined), which), costs).map((spent) => new Spend(...spent)),
  },
  { weight: 3, arbitrary: walls.map((stepped) => new StepWall(...stepped)) },
  { weight: 2, arbitrary: fc.nat(8).map((eighths) => new Chance(eighths / 8)) },
  { weight: 4, arbitrary: holds.map((to) => new Operate(to)) },
  {
    weight: 1,
    arbitrary: fc.option(anyNumbers, { nil: undefined }).map((numbers) => new Restart(numbers)),
  },
);

export const breakerCommands = fc.commands<ReferenceBreaker, System, false>([command], {
  maxCommands: 80,
  size: 'max',
});
