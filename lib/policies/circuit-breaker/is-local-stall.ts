import { isBranded } from '../../errors/brand.js';
import { unwrapped } from '../../errors/failure-filter.js';
import { read } from '../../errors/http-failure.js';

/** Whether a failure is a timeout of ours that came due while our own event loop was blocked. */
export function isLocalStall(error: unknown): boolean {
  return unwrapped(error).some(
    (failure) =>
      isBranded(failure, 'OperationTimeoutError') && Number(read(failure as object, 'localStall')) > 0,
  );
}
