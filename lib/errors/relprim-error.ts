import { brandError } from './brand.js';

/**
 * Where an error of ours keeps the call that rejected with it: out of sight, and without the cost of defining a property
 * that is, a fifth of a refusal. An accessor with a shared name, so that another copy of this package finds it, too.
 */
export const REJECTED_BY = Symbol.for('relprim/rejected-by');

/**
 * The base of the errors that a call can end with. `code` is stable across releases and `instanceof` works across
 * two copies of this package. Wrong options are no `RelPrimError`: see {@link ConfigurationError}.
 */
export abstract class RelPrimError extends Error {
  declare readonly code: string;
  #rejectedBy: unknown = undefined;

  /** @internal Of what only inherits from an error: nothing. */
  get [REJECTED_BY](): unknown {
    return #rejectedBy in this ? this.#rejectedBy : undefined;
  }

  /** @internal */
  set [REJECTED_BY](call: unknown) {
    if (#rejectedBy in this) this.#rejectedBy = call;
  }
}
brandError(RelPrimError, 'RelPrimError', 'RELPRIM_ERROR');
