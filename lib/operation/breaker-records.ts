import type { CostTaker } from '../attempt/attempt-view.js';
import type { CircuitBreakerTransition } from '../policies/circuit-breaker/circuit-breaker-state.js';
import type { Call } from './call.js';
import { CUT } from './interruptible.js';
import { tellApart } from './tell-apart.js';

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

/** The call ends within its attempt, which proves nothing. What it has spent may have moved the breaker all the same. */
export function recordNothing(call: Call): void {
  const { breaker, permit, trouble, emitters, plan } = call;
  if (permit === undefined) return;
  breaker?.release(permit);
  if (trouble?.moved !== undefined) tellApart(emitters, trouble.moved, (message) => plan.host.warn(message));
}

/**
 * What the attempt that runs now takes from the budget of its breaker. An attempt that was not waited for may still say
 * what it has cost; nobody tells of the call then any more.
 */
export function costsOf(call: Call): CostTaker | undefined {
  const { breaker, permit, emitters, plan } = call;
  if (breaker === undefined) return undefined;
  const { host } = plan;
  return {
    spend(amount) {
      const moved = breaker.takeCost(amount);
      if (moved === undefined) return;
      // The permit of a later attempt is another one, or the one that all calls of a closed period share.
      if (call.permit !== undefined && call.permit === permit) call.troubled().moved = moved;
      else tellApart(emitters, moved, (message) => host.warn(message));
    },
  };
}
