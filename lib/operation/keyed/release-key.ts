import type { OwnedKey } from '../../policies/idempotency/idempotency-store.js';
import { isPromiseLike } from '../kinds.js';

/** Frees a key that nobody executes for any more. Nobody waits for it or fails with it. */
export function releaseKey(claim: OwnedKey, complain: (error: unknown) => void): void {
  try {
    const later = claim.release();
    if (isPromiseLike(later)) Promise.resolve(later).then(undefined, complain);
  } catch (error) {
    complain(error);
  }
}
