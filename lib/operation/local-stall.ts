import { deadlineQueue, type Deadline } from '../time/deadline-queue.js';
import { stallToleranceMs } from '../time/event-loop-stall.js';
import type { Call } from './call.js';

/**
 * The event loop was blocked when a limit of this call came due: its attempt's timeout, or its deadline. Timers run
 * before the loop looks at its sockets, so an answer may lie there unread. Where the breaker ignores local stalls the
 * limit is deferred, once and by no more than the stall, for what has arrived to be read. Says whether it is.
 */
export function defersLimit(
  call: Call,
  limit: Deadline,
  startMs: number,
  lengthMs: number,
  stallMs: number,
): boolean {
  if (call.phase !== 'attempt') return false;
  const trouble = call.troubled();
  trouble.stallMs = Math.max(trouble.stallMs, stallMs);
  const isDeferred = limit.dueMs > startMs + lengthMs;
  if (isDeferred || call.breaker?.ignoresLocalStalls !== true) return false;
  deadlineQueue(call.clock, stallToleranceMs(lengthMs)).add(limit, call.clock.monotonicMs());
  return true;
}

/** Whether the attempt met a limit of ours that says nothing of the dependency, as far as its breaker is concerned. */
export function isIgnoredStall({ breaker, trouble }: Call, failure: unknown): boolean {
  if (breaker?.ignoresLocalStalls !== true || trouble === undefined) return false;
  return trouble.stallMs > 0 && trouble.isOwnTimeout(failure);
}
