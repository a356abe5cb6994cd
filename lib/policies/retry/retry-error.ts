import { brandError } from '../../errors/brand.js';
import { RelPrimError } from '../../errors/relprim-error.js';

/** A stand-alone retry policy used up its attempts. `cause` is the last failure. */
export class RetryError extends RelPrimError {
  constructor(
    /** How many attempts were made. */
    readonly attempts: number,
    cause: unknown,
  ) {
    super(`all ${attempts} attempt(s) failed`, { cause });
  }
}
brandError(RetryError, 'RetryError', 'RELPRIM_RETRIES_EXHAUSTED');
