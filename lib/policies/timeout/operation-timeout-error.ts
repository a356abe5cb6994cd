import { brandError } from '../../errors/brand.js';
import { RelPrimError } from '../../errors/relprim-error.js';

/** Which limit was met: that of one attempt, or that of the whole call. */
export type TimeoutScope = 'attempt' | 'deadline';

/**
 * A limit of ours passed before the work ended. It does not prove that the work had no effect. There is no timeout
 * error of the platform beneath it, so `cause` is `undefined` unless one was given.
 */
export class OperationTimeoutError extends RelPrimError {
  /** Whether the work may have been done all the same: it had been started, and nobody knows how it ended. */
  readonly outcomeUnknown: boolean;
  // Not to be seen where errors are printed: it is 0 in nearly all of them.
  readonly #localStall: number;

  constructor(
    /** The limit that was met, in seconds. */
    readonly timeoutSeconds: number,
    readonly scope: TimeoutScope = 'attempt',
    options: {
      readonly cause?: unknown;
      readonly outcomeUnknown?: boolean;
      readonly localStall?: number;
    } = {},
  ) {
    const what =
      scope === 'attempt'
        ? 'the attempt did not end within its timeout'
        : 'the call did not end within its deadline';
    super(`${what} of ${timeoutSeconds} s`, 'cause' in options ? { cause: options.cause } : undefined);
    this.outcomeUnknown = options.outcomeUnknown ?? true;
    this.#localStall = options.localStall ?? 0;
  }

  /** For how many seconds our own event loop was certainly blocked when the limit came due; 0 where it was not. */
  get localStall(): number {
    return this.#localStall;
  }
}
brandError(OperationTimeoutError, 'OperationTimeoutError', 'RELPRIM_TIMEOUT');
