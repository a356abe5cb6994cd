import { brandError } from '../../errors/brand.js';
import { RelPrimError } from '../../errors/relprim-error.js';

/** The key of a call belongs to work with another payload. Nothing was executed; a new key is needed. */
export class IdempotencyConflictError extends RelPrimError {
  constructor(
    readonly operationName: string,
    /** The key, or a digest of it. */
    readonly idempotencyKey: string,
  ) {
    super(`${operationName}: the idempotency key ${idempotencyKey} was used with another payload before`);
  }
}
brandError(IdempotencyConflictError, 'IdempotencyConflictError', 'RELPRIM_IDEMPOTENCY_CONFLICT');
