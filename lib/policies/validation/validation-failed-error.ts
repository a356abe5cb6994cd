import { brandError } from '../../errors/brand.js';
import { RelPrimError } from '../../errors/relprim-error.js';

/** A value was returned and not accepted. It never holds the value. */
export class ValidationFailedError extends RelPrimError {
  constructor(
    readonly validatorName: string,
    readonly reason: string,
  ) {
    super(`validator '${validatorName}' rejected the value: ${reason}`);
  }
}
brandError(ValidationFailedError, 'ValidationFailedError', 'RELPRIM_VALIDATION_FAILED');
