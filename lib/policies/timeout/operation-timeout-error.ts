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

  constructor(
    /** The limit that was met, in seconds. */
    readonly timeoutSeconds: number,
    readonly scope: TimeoutScope = 'attempt',
    options: { readonly cause?: unknown; readonly outcomeUnknown?: boolean } = {},
  ) {
    const what =
      scope === 'attempt'
        ? 'the attempt did not end within its timeout'
        : 'the call did not end within its deadline';
    super(`${what} of ${timeoutSeconds} s`, 'cause' in options ? { cause: options.cause } : undefined);
    this.outcomeUnknown = options.outcomeUnknown ?? true;
  }
}
brandError(OperationTimeoutError, 'OperationTimeoutError', 'RELPRIM_TIMEOUT');
