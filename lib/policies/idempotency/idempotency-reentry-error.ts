import { brandError } from '../../errors/brand.js';
import { MisuseError } from '../../errors/misuse-error.js';

/**
 * An execution asked for its own key, and would have waited for itself for ever. A mistake in the code, so it is never
 * retried, recorded by a breaker or answered by a fallback.
 */
export class IdempotencyReentryError extends MisuseError {
  constructor(
    readonly operationName: string,
    /** The key, or a digest of it. */
    readonly idempotencyKey: string,
  ) {
    super(
      `${operationName} was called with the idempotency key ${idempotencyKey} inside the execution of that key, which would wait for itself; ` +
        'call the inner work without a key, or with another one',
    );
  }
}
brandError(IdempotencyReentryError, 'IdempotencyReentryError', 'RELPRIM_IDEMPOTENCY_REENTRY');
