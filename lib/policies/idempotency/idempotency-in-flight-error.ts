import { brandError } from '../../errors/brand.js';
import { RelPrimError } from '../../errors/relprim-error.js';

/** Work with the key of a call is being done, and the policy says not to wait for it (`onInFlight: 'reject'`). */
export class IdempotencyInFlightError extends RelPrimError {
  constructor(
    readonly operationName: string,
    /** The key, or a digest of it. */
    readonly idempotencyKey: string,
  ) {
    super(`${operationName}: work with the idempotency key ${idempotencyKey} is being done`);
  }
}
brandError(IdempotencyInFlightError, 'IdempotencyInFlightError', 'RELPRIM_IDEMPOTENCY_IN_FLIGHT');
