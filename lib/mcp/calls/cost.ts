import { MOST_COST, type BreakerDefinition } from '../breakers/definition.js';
import { pointedAt } from '../breakers/pointer.js';
import type { Body } from '../http/body.js';
import { ArgumentError } from '../tools/argument-error.js';
import { jsonOf } from './json-of.js';

/** Finds what an answer has cost. @throws {ArgumentError} where nobody would ask for the cost that was given. */
export function costOf(
  budget: BreakerDefinition['budget'],
  given: number | undefined,
): (body: Body) => number {
  const pointer = budget?.costPointer;
  if (given !== undefined && budget === undefined)
    throw new ArgumentError('cost: the breaker has no budget; leave it out, or make one with a budget');
  if (given !== undefined && pointer !== undefined)
    throw new ArgumentError(`cost: the answer says it, at ${pointer}; leave it out`);
  if (pointer === undefined) return () => given ?? 1;
  return (body) => {
    const found = pointedAt(jsonOf(body), pointer);
    return typeof found === 'number' && found >= 0 && found <= Number.MAX_VALUE
      ? Math.min(found, MOST_COST)
      : 0;
  };
}
