import { checkNumber, refuse } from '../../errors/check.js';
import { ConfigurationError } from '../../errors/configuration-error.js';

/** What a rate-limit policy says of one failure. Immutable. */
export class RateLimitDecision {
  readonly rateLimited: boolean;
  /** How long the provider asks to wait; `null` without a hint. */
  readonly retryAfterSeconds: number | null;

  /** @throws {ConfigurationError} for a delay that is no number of 0 or more, or is given without a rate limit. */
  constructor(rateLimited: boolean, retryAfterSeconds: number | null = null) {
    if (typeof rateLimited !== 'boolean') refuse('rateLimited', rateLimited, 'give true or false');
    if (retryAfterSeconds !== null) checkNumber('retryAfterSeconds', retryAfterSeconds, 0);
    if (!rateLimited && retryAfterSeconds !== null) {
      throw new ConfigurationError({
        option: 'retryAfterSeconds',
        problem: 'is given for a failure that is no rate limit',
        cure: 'leave it out',
      });
    }
    this.rateLimited = rateLimited;
    this.retryAfterSeconds = retryAfterSeconds;
    Object.freeze(this);
  }
}
