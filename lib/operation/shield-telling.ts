import type { Call } from './call.js';
import type { Guard } from './guard.js';
import type { GaveUpReason, GivenUp } from './shielding.js';
import { tell } from './tell.js';

/* What is told of a shield, with the call that made it happen. */

/** How the running attempt moved the limiter, if it did. */
export function tellMove(call: Call, atMs: number): Promise<void> | undefined {
  const move = call.guard?.move;
  if (move === undefined) return undefined;
  return tell(call, `shield.${move.type}`, atMs, () => ({
    shield_name: move.shieldName,
    profile: move.profile,
    rate: move.rate,
    w_max: move.wMax,
  }));
}

export function tellBudgetExhausted(call: Call, guard: Guard): Promise<void> | undefined {
  const { identity } = guard;
  const { attemptNumber: attempt_number } = call;
  return tell(call, 'shield.budget_exhausted', call.endMs, () => ({
    attempt_number,
    shield_name: identity?.name ?? '',
    profile: identity?.profile ?? '',
  }));
}

/** Why there was no further try, where the shield had a word in it. */
export function givenUp(call: Call, guard: Guard): GivenUp | undefined {
  const reason = guard.gaveUp;
  return reason && { reason, attempts: call.attemptNumber, seconds: (call.endMs - call.startMs) / 1_000 };
}

export function tellGaveUp(call: Call, guard: Guard, how: GivenUp): Promise<void> | undefined {
  const { identity } = guard;
  return tell(call, 'shield.gave_up', call.endMs, () => ({
    shield_name: identity?.name ?? '',
    profile: identity?.profile ?? '',
    reason: how.reason,
    attempt_count: how.attempts,
  }));
}

export function tellRecovered(
  call: Call,
  guard: Guard,
  candidate: string,
  atMs: number,
): Promise<void> | undefined {
  const { identity, gaveUp } = guard;
  return tell(call, 'shield.recovered', atMs, () => ({
    shield_name: identity?.name ?? '',
    profile: identity?.profile ?? '',
    by: candidate as 'cache' | 'fallback',
    reason: gaveUp ?? null,
  }));
}

/** Why the primary path ends, where the shield judged its last failure. */
export function reasonOf(guard: Guard, deadlineExhausted: boolean): GaveUpReason | undefined {
  if (deadlineExhausted) return 'deadline_exhausted';
  if (guard.kind === 'slow') return 'attempts_exhausted';
  if (guard.kind === 'other') return 'non_retryable';
  return guard.kind === 'refused' ? 'not_admitted' : undefined;
}
