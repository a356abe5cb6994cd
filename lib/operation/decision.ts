/** What is known when a primary attempt has failed. */
export interface FailureFacts {
  /** The retry policy counts this failure as worth another try. */
  readonly retryable: boolean;
  /** The delay it chose; `undefined` when the failure is not retryable. */
  readonly delayMs: number | undefined;
  readonly attemptsLeft: boolean;
  /** The breaker refused this attempt. */
  readonly refused: boolean;
  /** This attempt was made without waiting, only to be refused. */
  readonly unwaited: boolean;
  /** Until the breaker lets a call through: 0 without a breaker, `undefined` when only a probe in flight can tell. */
  readonly breakerWaitMs: number | undefined;
  /** What is left of the call's deadline; `Infinity` without one. */
  readonly remainingMs: number;
}

/** What happens next on the primary path. */
export interface Decision {
  readonly retry: boolean;
  /** How long to wait before the next attempt. */
  readonly waitMs: number;
  /** The next attempt is made at once because waiting would not get it past the open breaker. */
  readonly unwaited: boolean;
  /** There would have been another attempt, had the deadline left room. */
  readonly deadlineExhausted: boolean;
}

const STOP: Decision = { retry: false, waitMs: 0, unwaited: false, deadlineExhausted: false };

/** Decides whether a failed attempt is followed by another one, and when. */
export function decide(facts: FailureFacts): Decision {
  const { delayMs, breakerWaitMs, remainingMs } = facts;
  if (!facts.retryable || !facts.attemptsLeft || delayMs === undefined) return STOP;
  // Sleeping in front of an open breaker helps nobody: wait only if it may let the next attempt through.
  const opensInTime = breakerWaitMs !== undefined && breakerWaitMs <= delayMs;
  if (facts.refused && (facts.unwaited || !opensInTime)) return STOP;
  const unwaited = !facts.refused && breakerWaitMs !== undefined && breakerWaitMs > delayMs;
  const waitMs = unwaited ? 0 : delayMs;
  if (waitMs >= remainingMs) return { ...STOP, deadlineExhausted: true };
  return { retry: true, waitMs, unwaited, deadlineExhausted: false };
}
