import { brandError } from './brand.js';

/**
 * The base of the errors that a call can end with. `code` is stable across releases and `instanceof` works across
 * two copies of this package. Wrong options are no `RelPrimError`: see {@link ConfigurationError}.
 */
export abstract class RelPrimError extends Error {
  declare readonly code: string;
}
brandError(RelPrimError, 'RelPrimError', 'RELPRIM_ERROR');
