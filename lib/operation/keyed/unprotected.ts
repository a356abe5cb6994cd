import type { OwnedKey } from '../../policies/idempotency/idempotency-store.js';

/** The key of a store that could not be asked: there is nothing to keep and nobody to tell. */
export const UNPROTECTED: OwnedKey = { state: 'owned', complete: () => undefined, release: () => undefined };
