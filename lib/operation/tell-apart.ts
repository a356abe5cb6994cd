import { errorType } from '../report/execution-error.js';
import type { EventEmitter } from '../events/event-emitter.js';
import type { CircuitBreakerTransition } from '../policies/circuit-breaker/circuit-breaker-state.js';
import { transitionEventType, transitionPayload } from '../policies/circuit-breaker/transition-event.js';

/**
 * Tells of a change of a breaker that a call made when it could tell of nothing any more: as a change of the breaker,
 * and of no operation. Nobody waits for it, and what a sink does wrong is a warning.
 */
export function tellApart(
  emitters: readonly EventEmitter[] | undefined,
  transition: CircuitBreakerTransition,
  warn: (message: string) => void,
): void {
  const operationName = `circuit_breaker:${transition.breakerName}`;
  const payload = transitionPayload(transition);
  for (const emitter of emitters ?? []) {
    emitter.emit(transitionEventType(transition.to), { operationName, payload }).catch((error: unknown) => {
      warn(`an event sink failed with ${errorType(error)} on a change of ${operationName}`);
    });
  }
}
