import { MisuseError } from '../errors/misuse-error.js';
import type { CircuitBreaker } from '../policies/circuit-breaker/circuit-breaker.js';
import { warnOfLease } from './breaker-lease.js';
import type { Call } from './call.js';
import { Interruption } from './interruption.js';
import type { Plan } from './plan.js';
import type { KeyedCircuitBreaker } from './settings.js';

/** Asks the breaker whether the attempt that was opened may call anything. @throws {Interruption} when none is found. */
export function askBreaker(call: Call): void {
  const { plan } = call;
  // Where something guards the attempt, the breaker was looked at before, so that nobody queues for a refusal.
  const breaker = (call.guard && call.breaker) ?? findBreaker(call);
  plan.probe?.ask?.(breaker);
  const { timeoutMs } = call;
  call.permit = breaker.admit(call.clock, timeoutMs === Infinity ? undefined : timeoutMs);
  if (call.permit !== undefined) return;
  const trouble = call.troubled();
  trouble.refusal = breaker.refusal(trouble.lastRealFailure);
  plan.probe?.refuse?.(breaker, trouble.refusal.reason);
}

/** The breaker of the attempt that was opened. @throws {Interruption} when none is found. */
export function findBreaker(call: Call): CircuitBreaker {
  const { plan } = call;
  return (call.breaker = plan.breaker ?? chooseBreaker(plan, call.self, call.args));
}

/** The breaker of one call, where it differs from call to call. @throws {Interruption} when there is none. */
function chooseBreaker(plan: Plan, self: unknown, args: readonly unknown[]): CircuitBreaker {
  try {
    const found: unknown = plan.selectBreaker?.apply(self, args as unknown[]);
    if (isCircuitBreaker(found)) {
      warnOfLease(plan, found);
      return found;
    }
    throw new MisuseError(`${plan.name}: circuitBreaker must find a CircuitBreaker or the name of one`);
  } catch (error) {
    throw new Interruption(error);
  }
}

/** The name of a breaker, and what its calls are kept apart by. */
export function isKeyedBreaker(value: unknown): value is KeyedCircuitBreaker {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<KeyedCircuitBreaker>).key === 'function'
  );
}

/** Also a breaker of another copy of this package. */
export function isCircuitBreaker(value: unknown): value is CircuitBreaker {
  const breaker = value as Partial<CircuitBreaker> | null | undefined;
  return (
    typeof breaker?.name === 'string' &&
    typeof breaker.admit === 'function' &&
    typeof breaker.recordFailure === 'function'
  );
}
