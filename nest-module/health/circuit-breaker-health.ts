import type { CircuitBreakerSnapshot } from '../../lib/index.js';

export type HalfOpenHealth = 'up' | 'down';

/** What a health check says of a circuit breaker, or of several under one key. */
export interface CircuitBreakerHealth {
  readonly status: 'up' | 'down';
  /** The state, or where an operator holds it. */
  readonly state?: CircuitBreakerSnapshot['state'] | 'forced_open' | 'forced_closed';
  /** Open for long enough: the next call will be a probe. Present when `true`. */
  readonly probe_due?: true;
  /** Present while it is open for a known time. */
  readonly retry_after_seconds?: number;
  /** Each of several. */
  readonly circuit_breakers?: Readonly<Record<string, CircuitBreakerHealth>>;
}

/** No reason of an operator, no figures: the answers of health checks are often public. */
export function healthOf(
  { state, forced, probeDue, retryAfterSeconds }: CircuitBreakerSnapshot,
  halfOpen: HalfOpenHealth,
): CircuitBreakerHealth {
  if (forced !== null) return { status: forced === 'open' ? 'down' : 'up', state: `forced_${forced}` };
  if (state === 'closed') return { status: 'up', state };
  if (probeDue) return { status: halfOpen, state, probe_due: true };
  if (state === 'half_open') return { status: halfOpen, state };
  return {
    status: 'down',
    state,
    ...(retryAfterSeconds !== null && { retry_after_seconds: retryAfterSeconds }),
  };
}
