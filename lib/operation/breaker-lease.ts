import { ConfigurationError } from '../errors/configuration-error.js';
import { msToSeconds } from '../time/duration.js';
import type { CircuitBreaker } from '../policies/circuit-breaker/circuit-breaker.js';
import type { Plan } from './plan.js';

const CURE = 'give the lease at least the timeout, or leave it out';

/**
 * A probe that may still run when its lease ends would decide nothing, however well it went.
 * @throws {ConfigurationError} for such a lease.
 */
export function checkLease(breaker: CircuitBreaker, timeoutMs: number): CircuitBreaker {
  const problem = problemOf(breaker, timeoutMs);
  if (problem === undefined) return breaker;
  throw new ConfigurationError({ option: 'circuitBreaker', problem, cure: CURE });
}

const warned = new WeakMap<Plan, WeakSet<CircuitBreaker>>();

/**
 * The same for a breaker that is known only in the middle of a call, where nothing is refused any more: a warning, once
 * for each breaker. Those of keys count as the one that they belong to.
 */
export function warnOfLease(plan: Plan, breaker: CircuitBreaker): void {
  const problem = problemOf(breaker, plan.timeoutMs);
  if (problem === undefined) return;
  const told = warned.get(plan) ?? new WeakSet();
  warned.set(plan, told);
  if (told.has(breaker.root)) return;
  told.add(breaker.root);
  plan.host.warn(`${plan.name}: circuit breaker '${breaker.root.name}' ${problem}; ${CURE}`);
}

function problemOf({ probeLeaseMs: leaseMs }: CircuitBreaker, timeoutMs: number): string | undefined {
  if (leaseMs === undefined || timeoutMs === Infinity || leaseMs >= timeoutMs) return undefined;
  return `has probes with a lease of ${msToSeconds(leaseMs)} s, shorter than the timeout of ${msToSeconds(timeoutMs)} s`;
}
