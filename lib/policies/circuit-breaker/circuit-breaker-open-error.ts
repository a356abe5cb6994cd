import { brandError, withoutStack } from '../../errors/brand.js';
import { RelPrimError } from '../../errors/relprim-error.js';

/** Why a circuit breaker lets nothing through. */
export type RefusingState = 'open' | 'half_open';

/** A circuit breaker refused the call; nothing was called. `cause` is the last real failure of this call, if it had one. */
export class CircuitBreakerOpenError extends RelPrimError {
  constructor(
    readonly breakerName: string,
    /** `half_open`: all probes are taken and nobody knows how they end. */
    readonly state: RefusingState,
    /** When a call may pass, as far as is known; `null` when it is not: half-open, or forced open by an operator. */
    readonly retryAfterSeconds: number | null,
    options?: { readonly cause?: unknown },
  ) {
    super(`circuit breaker '${breakerName}' is ${explain(state, retryAfterSeconds)}`, options);
  }
}
brandError(CircuitBreakerOpenError, 'CircuitBreakerOpenError', 'RELPRIM_CIRCUIT_BREAKER_OPEN');

function explain(state: RefusingState, retryAfterSeconds: number | null): string {
  // Whole seconds: a message is for people, and spelling out a long fraction costs as much as all the rest.
  if (retryAfterSeconds !== null) return `${state}; a call may pass in ${Math.ceil(retryAfterSeconds)} s`;
  return state === 'open'
    ? 'forced open; no call passes until an operator lets go of it'
    : 'half_open; a probe is in flight';
}

/** A refusal says nothing about where it was made, so it costs no stack trace. */
export function makeRefusal(
  name: string,
  state: RefusingState,
  retryAfter: number | null,
  cause: unknown,
): CircuitBreakerOpenError {
  const options = cause === undefined ? undefined : { cause };
  return withoutStack(() => new CircuitBreakerOpenError(name, state, retryAfter, options));
}
