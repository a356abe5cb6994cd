import { isNetworkFailure, judgeNearest, saysNothing, statusOf } from '../../errors/http-failure.js';

/** Statuses worth another try: asked to come back (408, 429) or the server's own trouble. */
const RETRYABLE_STATUSES = new Set([408, 429]);
/** Server errors that will not go away by asking again. */
const PERMANENT_SERVER_STATUSES = new Set([501, 505, 508, 511]);

/**
 * Whether the failure of an HTTP call may pass by asking again: network errors by their code, statuses 408, 429
 * and 5xx (but 501, 505, 508, 511), our own timeout of an attempt, and a rejected value. Never an abort, a
 * programming error, another status, or the refusal of an open circuit breaker.
 * It cannot know whether the request is safe to repeat: that is the application's word.
 */
export function isRetryableHttp(error: unknown): boolean {
  return judgeNearest(error, judge) === true;
}

function judge(failure: object, code: unknown): boolean | undefined {
  if (saysNothing(failure, code)) return false;
  if (code === 'RELPRIM_TIMEOUT' || code === 'RELPRIM_VALIDATION_FAILED') return true;
  const status = statusOf(failure);
  if (status !== undefined) return isRetryableStatus(status);
  return isNetworkFailure(failure, code) || undefined;
}

function isRetryableStatus(status: number): boolean {
  return RETRYABLE_STATUSES.has(status) || (status >= 500 && !PERMANENT_SERVER_STATUSES.has(status));
}
