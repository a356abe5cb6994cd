import type { CircuitBreakerTransition } from '../policies/circuit-breaker/circuit-breaker-state.js';
import type { Call } from './call.js';
import { CUT } from './interruptible.js';

/* What a breaker is told of an attempt; gives its change of state, if that made one. */

export function recordSuccess(call: Call, value: unknown): CircuitBreakerTransition | undefined {
  const { permit, breaker, endMs } = call;
  if (permit === undefined) return undefined;
  call.permit = undefined;
  return breaker?.recordSuccess(permit, endMs, endMs - call.attemptStartMs, value) ?? call.trouble?.moved;
}

/** A failure may say something about the dependency, or nothing; a probe then gives its place back. */
export function recordFailure(
  call: Call,
  failure: unknown,
  provesNothing: boolean,
  nowMs: number,
): CircuitBreakerTransition | undefined {
  const { breaker, permit } = call;
  if (breaker === undefined || permit === undefined) return undefined;
  const recorded = !provesNothing && breaker.records(failure);
  // A filter is code of the application, too.
  if (call.cancelled) throw CUT;
  call.permit = undefined;
  const moved = call.trouble?.moved;
  if (recorded) return breaker.recordFailure(permit, nowMs, nowMs - call.attemptStartMs) ?? moved;
  breaker.release(permit);
  return moved;
}

/** The running attempt has cost this much of the budget of its breaker. */
export function spend(call: Call, amount: number): void {
  const moved = call.breaker?.spend(amount);
  if (moved !== undefined) call.troubled().moved = moved;
}
