import { brandError, isBranded } from '../../errors/brand.js';
import { unwrapped } from '../../errors/failure-filter.js';
import { globalSlot } from '../../errors/global-slot.js';
import { RelPrimError } from '../../errors/relprim-error.js';

/** An error that no retry policy repeats, whatever its filter says. Put the real failure in `cause`. */
export class NonRetryableError extends RelPrimError {}
brandError(NonRetryableError, 'NonRetryableError', 'RELPRIM_NON_RETRYABLE');

const marked = globalSlot('non-retryable', () => new WeakSet<object>());

/**
 * Marks an error as not worth another try and returns the same object, unchanged, ready to be thrown:
 * `throw nonRetryable(new CardDeclined())`. A value that is no object is wrapped in a {@link NonRetryableError}.
 */
export function nonRetryable<E>(error: E): E extends object ? E : NonRetryableError {
  type Marked = E extends object ? E : NonRetryableError;
  if (typeof error !== 'object' || error === null) {
    return new NonRetryableError(String(error), { cause: error }) as Marked;
  }
  marked.add(error);
  return error as Marked;
}

export function isNonRetryable(error: unknown): boolean {
  return unwrapped(error).some(
    (failure) =>
      typeof failure === 'object' &&
      failure !== null &&
      (marked.has(failure) || isBranded(failure, 'NonRetryableError')),
  );
}
