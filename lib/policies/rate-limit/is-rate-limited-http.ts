import { judgeNearest, saysNothing, statusOf } from '../../errors/http-failure.js';
import { retryAfterFromHeaders } from './retry-after-from-headers.js';

/** Every date in a header is later than this, so that whether there is a hint depends on nobody's clock. */
const LONG_AGO = { nowMs: 0 };

/**
 * Whether an HTTP provider asks to come back later: status 429, or 503 with a hint when. Never for an abort, nor for
 * the refusal of a circuit breaker, beneath which lies a limit that was waited for already.
 */
export function isRateLimitedHttp(error: unknown): boolean {
  return judgeNearest(error, judge) === true;
}

function judge(failure: object, code: unknown): boolean | undefined {
  if (saysNothing(failure, code)) return false;
  const status = statusOf(failure);
  if (status === undefined) return undefined;
  return status === 429 || (status === 503 && retryAfterFromHeaders(failure, LONG_AGO) !== undefined);
}
