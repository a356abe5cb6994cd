import { brandError } from '../../errors/brand.js';
import { RelPrimError } from '../../errors/relprim-error.js';
import { errorGist } from '../../report/execution-error.js';

/** Every candidate of a fallback chain failed. `cause` is the last failure. */
export class FallbackChainError extends RelPrimError {
  /** The candidates' failures, in the order of the candidates. */
  readonly failures: readonly unknown[];

  constructor(
    failures: readonly unknown[],
    /** Why the fallback was needed; filters look through this error at it. `undefined` for a chain run alone. */
    readonly primaryFailure?: unknown,
  ) {
    const last = failures.at(-1);
    super(`all ${failures.length} fallback candidate(s) failed, the last with ${errorGist(last)}`, {
      cause: last,
    });
    this.failures = Object.freeze([...failures]);
  }
}
brandError(FallbackChainError, 'FallbackChainError', 'RELPRIM_FALLBACKS_FAILED');
