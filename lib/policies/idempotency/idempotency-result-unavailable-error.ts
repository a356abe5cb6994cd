import { brandError } from '../../errors/brand.js';
import { RelPrimError } from '../../errors/relprim-error.js';
import type { NotKept } from './idempotency-store.js';

const WHY: Readonly<Record<NotKept, string>> = {
  lost: 'its owner lost the key',
  too_large: 'it is larger than the store allows',
  not_encodable: 'it could not be copied or written down',
};

/** The work of a key was done, and its result cannot be given again. It is not done once more. */
export class IdempotencyResultUnavailableError extends RelPrimError {
  constructor(
    readonly operationName: string,
    /** The key, or a digest of it. */
    readonly idempotencyKey: string,
    readonly reason: NotKept,
    cause?: unknown,
  ) {
    super(
      `${operationName}: the work of the idempotency key ${idempotencyKey} was done, and its result cannot be given again: ${WHY[reason]}`,
      cause === undefined ? undefined : { cause },
    );
  }
}
brandError(
  IdempotencyResultUnavailableError,
  'IdempotencyResultUnavailableError',
  'RELPRIM_IDEMPOTENCY_RESULT_UNAVAILABLE',
);
