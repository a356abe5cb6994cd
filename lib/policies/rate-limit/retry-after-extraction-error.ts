import { brandError } from '../../errors/brand.js';
import { RelPrimError } from '../../errors/relprim-error.js';

/**
 * The function that finds how long to wait has failed, or gave something that is no wait: a mistake in the application.
 * `cause` is what it threw; `undefined` where it returned.
 */
export class RetryAfterExtractionError extends RelPrimError {
  constructor(
    /** The failure that it was asked about. */
    readonly rateLimitError: unknown,
    problem: string,
    options?: { readonly cause: unknown },
  ) {
    super(`retryAfter ${problem}; give seconds, 0 or more, or undefined where there is no hint`, options);
  }
}
brandError(RetryAfterExtractionError, 'RetryAfterExtractionError', 'RELPRIM_RETRY_AFTER_EXTRACTION');
