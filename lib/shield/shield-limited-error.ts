import { brandError, withoutStack } from '../errors/brand.js';
import { RelPrimError } from '../errors/relprim-error.js';

/** Why a shield let nobody in: it was not to wait at all, or the wait grew too long. */
export type ShieldRefusalReason = 'limited' | 'waited_too_long';

/** The limiter of a shield refused the call; nothing was called. It says nothing new about the dependency. */
export class ShieldLimitedError extends RelPrimError {
  constructor(
    readonly shieldName: string,
    readonly reason: ShieldRefusalReason,
    /** When there may be room for one more, at the rate of this moment. */
    readonly retryAfterSeconds: number,
  ) {
    super(
      reason === 'limited'
        ? `shield '${shieldName}' limits the rate; there may be room in ${Math.ceil(retryAfterSeconds)} s`
        : `shield '${shieldName}' limits the rate, and the wait grew too long`,
    );
  }
}
brandError(ShieldLimitedError, 'ShieldLimitedError', 'RELPRIM_SHIELD_LIMITED');

/** A refusal says nothing about where it was made, so it costs no stack trace. */
export function shieldRefusal(
  name: string,
  reason: ShieldRefusalReason,
  retryAfterSeconds: number,
): ShieldLimitedError {
  return withoutStack(() => new ShieldLimitedError(name, reason, retryAfterSeconds));
}
