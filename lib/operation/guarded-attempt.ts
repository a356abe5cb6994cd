import type { Call } from './call.js';
import type { Guard } from './guard.js';
import { isIgnoredStall } from './local-stall.js';
import type { FailureKind } from './shielding.js';

/* What a shield and a concurrency limit are told of an attempt. */

/** It has succeeded, with this value. */
export function succeedGuarded(call: Call, guard: Guard, value: unknown): void {
  const { endMs } = call;
  guard.exit(endMs);
  const { shield } = guard;
  if (shield === undefined) return;
  guard.move = shield.succeeded(endMs, endMs - call.attemptStartMs, guard.retries);
  shield.keep(call.plan.name, call.args, value);
}

/** It has failed; gives what that means to the shield. `undefined` without one. */
export function failGuarded(call: Call, guard: Guard, met: unknown, nowMs: number): FailureKind | undefined {
  const { shield } = guard;
  guard.exit(nowMs);
  if (shield === undefined) return undefined;
  const { trouble, attemptStartMs } = call;
  // `undefined` can be thrown, too, and is no refusal.
  const isRefusal = guard.refusal !== undefined && met === guard.refusal;
  guard.kind = isRefusal ? 'refused' : shield.kindOf(met);
  // The question is code of the application, which may have ended the call.
  if (call.cancelled) return guard.kind;
  if (guard.kind !== 'slow' || isIgnoredStall(call, met)) return guard.kind;
  const timedOutMs = trouble?.isOwnTimeout(met) === true ? guard.timeoutMs : undefined;
  guard.move = shield.slowed(nowMs, attemptStartMs, timedOutMs);
  return 'slow';
}
