import { brandError, withoutStack } from '../../errors/brand.js';
import { RelPrimError } from '../../errors/relprim-error.js';

/** Why a limit let nobody in: there was no place to wait in, or the wait grew too long. */
export type ConcurrencyRefusalReason = 'queue_full' | 'waited_too_long';

/** A {@link ConcurrencyLimit} refused the call; nothing was called. It says nothing about the dependency. */
export class ConcurrencyLimitError extends RelPrimError {
  constructor(
    readonly limitName: string,
    readonly reason: ConcurrencyRefusalReason,
    /** How many run at once, at most. */
    readonly maxConcurrent: number,
    /** How many waited, the refused one not counted. */
    readonly waiting: number,
  ) {
    super(
      reason === 'queue_full'
        ? `concurrency limit '${limitName}' is full: ${maxConcurrent} running, ${waiting} waiting`
        : `concurrency limit '${limitName}' let nobody in for too long: ${maxConcurrent} running`,
    );
  }
}
brandError(ConcurrencyLimitError, 'ConcurrencyLimitError', 'RELPRIM_CONCURRENCY_LIMIT');

/** A refusal says nothing about where it was made, so it costs no stack trace. */
export function concurrencyRefusal(
  name: string,
  reason: ConcurrencyRefusalReason,
  maxConcurrent: number,
  waiting: number,
): ConcurrencyLimitError {
  return withoutStack(() => new ConcurrencyLimitError(name, reason, maxConcurrent, waiting));
}
