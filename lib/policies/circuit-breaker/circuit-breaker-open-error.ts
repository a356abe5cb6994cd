import { brandError, withoutStack } from '../../errors/brand.js';
import { RelPrimError } from '../../errors/relprim-error.js';
import type { OpenedBy } from './circuit-breaker-state.js';
import { NOTHING_KNOWN, type OpeningFacts } from './opening.js';

/** Why a circuit breaker lets nothing through. */
export type RefusingState = 'open' | 'half_open';

/** Why a call was refused: what opened the breaker, or that all probes are taken. */
export type RefusalReason = OpenedBy | 'probes_busy';

/** The numbers behind a refusal. */
export interface RefusalDetails extends OpeningFacts {
  /** Probes that ran when the call was refused. */
  readonly probesInFlight: number;
}

export interface RefusalOptions {
  readonly cause?: unknown;
  readonly reason?: RefusalReason;
  readonly facts?: OpeningFacts | undefined;
  readonly probesInFlight?: number;
}

/** A circuit breaker refused the call; nothing was called. `cause` is the last real failure of this call, if it had one. */
export class CircuitBreakerOpenError extends RelPrimError {
  readonly reason: RefusalReason;
  /** Of a breaker that was made without them, all are `null`. */
  readonly #facts: OpeningFacts | undefined;
  readonly #probesInFlight: number;

  constructor(
    readonly breakerName: string,
    /** `half_open`: all probes are taken and nobody knows how they end. */
    readonly state: RefusingState,
    /** When a call may pass, as far as is known; `null` when it is not: half-open, or forced open by an operator. */
    readonly retryAfterSeconds: number | null,
    options: RefusalOptions = {},
  ) {
    super(
      `circuit breaker '${breakerName}' is ${explain(state, retryAfterSeconds)}`,
      'cause' in options ? { cause: options.cause } : undefined,
    );
    this.reason = options.reason ?? (state === 'open' ? 'consecutive_failures' : 'probes_busy');
    this.#facts = options.facts;
    this.#probesInFlight = options.probesInFlight ?? 0;
  }

  /** The numbers behind it: what had been counted when the breaker opened, and when that was. */
  get details(): RefusalDetails {
    const facts = this.#facts ?? NOTHING_KNOWN;
    // All refusals of one opening share its facts, and a date can be changed.
    const openedAt = facts.openedAt && new Date(facts.openedAt);
    return { ...facts, openedAt, probesInFlight: this.#probesInFlight };
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
  options: RefusalOptions,
): CircuitBreakerOpenError {
  return withoutStack(() => new CircuitBreakerOpenError(name, state, retryAfter, options));
}
