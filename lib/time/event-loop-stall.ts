/** Timers are this late now and then in a process that does well: timer resolution, a garbage collection. */
const USUAL_MS = 20;
/** Less than this part of a limit is not what made it pass. */
const SHARE = 0.1;

/** How late the timer of a limit of this length may be before that counts as a stall of our own event loop. */
export function stallToleranceMs(lengthMs: number): number {
  return Math.max(USUAL_MS, lengthMs * SHARE);
}

/**
 * For how long the event loop was certainly blocked when a timer fires so late: from when it was due until now. 0 for
 * what is usual. It may have been blocked before that, which only measuring all the time would tell.
 */
export function stallOf(lateMs: number, lengthMs: number): number {
  return lateMs >= stallToleranceMs(lengthMs) ? lateMs : 0;
}
