import { describeValue } from '../../errors/describe-value.js';
import { errorType } from '../../report/execution-error.js';

/** Whose costs these are. Of keyed breakers it is the one that they belong to: there is no end of keys. */
interface Spender {
  readonly name: string;
}

const warned = new WeakSet<Spender>();

/** What a call has cost, as the application says. What is no cost counts as nothing, and is warned of once. */
export function costOf(spender: Spender, cost: (result: unknown) => number, result: unknown): number {
  try {
    return checkCost(spender, cost(result));
  } catch (error) {
    return complain(spender, `failed with ${errorType(error)}`);
  }
}

export function checkCost(spender: Spender, amount: unknown): number {
  if (typeof amount === 'number' && Number.isFinite(amount) && amount >= 0) return amount;
  return complain(spender, `is ${describeValue(amount)}`);
}

/** The work is done and its result must not be lost because nobody can tell what it cost. */
function complain(spender: Spender, problem: string): 0 {
  if (!warned.has(spender)) {
    warned.add(spender);
    const message = `a cost of circuit breaker '${spender.name}' ${problem}, so it counts as 0; give a number of 0 or more`;
    process.emitWarning(message, { code: 'RELPRIM' });
  }
  return 0;
}
