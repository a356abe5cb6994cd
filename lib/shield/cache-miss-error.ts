import { brandError, withoutStack } from '../errors/brand.js';
import { RelPrimError } from '../errors/relprim-error.js';

/** The cache of a shield had nothing for a call. Seen in reports only: the caller gets the failure itself. */
export class ShieldCacheMissError extends RelPrimError {
  constructor(shieldName: string) {
    super(`the cache of shield '${shieldName}' has nothing for this call`);
  }
}
brandError(ShieldCacheMissError, 'ShieldCacheMissError', 'RELPRIM_SHIELD_CACHE_MISS');

export function cacheMiss(shieldName: string): ShieldCacheMissError {
  return withoutStack(() => new ShieldCacheMissError(shieldName));
}
