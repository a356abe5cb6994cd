import { brandError } from '../../errors/brand.js';
import { RelPrimError } from '../../errors/relprim-error.js';

/** The store of idempotency keys failed before anything was executed. `cause` is what it failed with. */
export class IdempotencyStoreError extends RelPrimError {
  constructor(
    readonly operationName: string,
    cause: unknown,
  ) {
    super(`${operationName}: the store of idempotency keys failed, so nothing was executed`, { cause });
  }
}
brandError(IdempotencyStoreError, 'IdempotencyStoreError', 'RELPRIM_IDEMPOTENCY_STORE');
