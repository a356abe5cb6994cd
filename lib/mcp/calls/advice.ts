import { CircuitBreakerOpenError } from '../../policies/circuit-breaker/circuit-breaker-open-error.js';
import { ConcurrencyLimitError } from '../../policies/concurrency-limit/concurrency-limit-error.js';
import { OperationTimeoutError } from '../../policies/timeout/operation-timeout-error.js';
import { ValidationFailedError } from '../../policies/validation/validation-failed-error.js';
import { isRetryableHttp } from '../../policies/retry/is-retryable-http.js';
import { TargetRefusedError } from '../hosts/target.js';
import { HttpStatusError } from '../http/answer.js';

/** What an agent should do about a failure. The point of it all: not to ask again blindly. */
export function adviceFor(error: unknown): string {
  if (error instanceof CircuitBreakerOpenError) {
    const { retryAfterSeconds } = error;
    const when =
      retryAfterSeconds === null
        ? 'Nobody knows yet when a call may pass; look at get_breaker_state.'
        : `A call may pass in ${Math.ceil(retryAfterSeconds)} s; do not call before that.`;
    return `${when} Go on without this dependency, or give a fallback.`;
  }
  if (error instanceof TargetRefusedError)
    return 'Do not retry: the user of this server decides which hosts may be called.';
  if (error instanceof ConcurrencyLimitError) return 'Too many calls run at once; wait for some of them.';
  if (error instanceof OperationTimeoutError)
    return 'The upstream was too slow, and whether it did the work is not known. Do not repeat what is not safe to repeat.';
  if (error instanceof ValidationFailedError)
    return 'The upstream answered something else than was expected. Check what is expected before calling again.';
  if (error instanceof HttpStatusError && error.status < 500 && error.status !== 429 && error.status !== 408)
    return 'Do not retry as it is: the upstream refuses this request. Change the request.';
  if (isRetryableHttp(error)) return 'It was retried as often as it may be. Do not retry at once; try later.';
  return 'Retrying is unlikely to help.';
}
