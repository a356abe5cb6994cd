import type { CircuitBreakerTransitionPayload } from '../../events/event-types.js';
import type { CircuitBreakerTransition } from './circuit-breaker-state.js';

const EVENT_TYPES = {
  open: 'circuit_breaker.opened',
  half_open: 'circuit_breaker.half_opened',
  closed: 'circuit_breaker.closed',
} as const;

/** The event that says that a breaker is in this state now. */
export function transitionEventType(
  to: CircuitBreakerTransition['to'],
): (typeof EVENT_TYPES)[CircuitBreakerTransition['to']] {
  return EVENT_TYPES[to];
}

/** A change of a breaker under the names of the wire. */
export function transitionPayload(transition: CircuitBreakerTransition): CircuitBreakerTransitionPayload {
  const { breakerName, from, to, failureCount, openedBy, by, forced, reason } = transition;
  const change = {
    breaker_name: breakerName,
    from_state: from,
    to_state: to,
    failure_count: failureCount,
    ...(to === 'open' && { opened_by: openedBy }),
  };
  return by === 'operator' ? { ...change, forced, reason } : change;
}
