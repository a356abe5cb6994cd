import type { Plan } from '../../../lib/container.js';
import { CircuitBreakerOpenError, OperationTimeoutError, ValidationFailedError } from '../../../lib/index.js';
import type { Finder } from './warning.js';

/** Errors of ours, and what must be there for an operation to fail with one. */
const SOURCES: readonly (readonly [unknown, (plan: Plan) => boolean])[] = [
  [CircuitBreakerOpenError, ({ hasBreaker }) => hasBreaker],
  [OperationTimeoutError, ({ timeoutMs, deadlineMs }) => timeoutMs < Infinity || deadlineMs < Infinity],
  [ValidationFailedError, ({ validation }) => validation !== undefined],
];

/** A fallback for nothing but failures that the operation's own policies cannot produce. */
export const fallbacksThatNeverRun: Finder = ({ operations }) =>
  operations
    .filter(({ plan, options }) => {
      if (plan.fallbacks === undefined) return false;
      const meant: unknown = options().fallbackOn;
      return Array.isArray(meant) && meant.every((kind) => isImpossible(kind, plan));
    })
    .map(
      ({ name }) =>
        `${name} has a fallback that can never run: fallbackOn names only errors of policies that it does not have; add the policy, or name other errors`,
    );

/** An inner operation may fail with such an error, too, but ours is what a reader of the decorator expects. */
function isImpossible(kind: unknown, plan: Plan): boolean {
  const source = SOURCES.find(([errorClass]) => errorClass === kind);
  return source !== undefined && !source[1](plan);
}
