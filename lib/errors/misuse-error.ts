import { brandError, isBranded } from './brand.js';

/**
 * The library was used in a way that cannot work, found only while running: `currentAttempt()` after an `await`, for
 * example. A mistake in the code, so it is never retried, recorded by a breaker or answered by a fallback.
 */
export class MisuseError extends TypeError {
  declare readonly code: string;
}
brandError(MisuseError, 'MisuseError', 'RELPRIM_MISUSE');

export function isMisuse(error: unknown): boolean {
  return isBranded(error, 'MisuseError') || isBranded(error, 'ConfigurationError');
}
