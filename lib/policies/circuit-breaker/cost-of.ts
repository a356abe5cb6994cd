import { describeValue } from '../../errors/describe-value.js';
import { errorType } from '../../report/execution-error.js';

const warned = new Set<string>();

/** What a call has cost, as the application says. What is no cost counts as nothing, and is warned of once. */
export function costOf(breakerName: string, cost: (result: unknown) => number, result: unknown): number {
  try {
    return checkCost(breakerName, cost(result));
  } catch (error) {
    return complain(breakerName, `failed with ${errorType(error)}`);
  }
}

export function checkCost(breakerName: string, amount: unknown): number {
  if (typeof amount === 'number' && Number.isFinite(amount) && amount >= 0) return amount;
  return complain(breakerName, `is ${describeValue(amount)}`);
}

/** The work is done and its result must not be lost because nobody can tell what it cost. */
function complain(breakerName: string, problem: string): 0 {
  if (!warned.has(breakerName)) {
    warned.add(breakerName);
    const message = `a cost of circuit breaker '${breakerName}' ${problem}, so it counts as 0; give a number of 0 or more`;
    process.emitWarning(message, { code: 'RELPRIM' });
  }
  return 0;
}
