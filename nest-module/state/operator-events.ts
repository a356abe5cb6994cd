import type { OnApplicationShutdown } from '@nestjs/common';
import { errorType, transitionEventType, transitionPayload } from '../../lib/container.js';
import type { CircuitBreakerRegistry, CircuitBreakerTransition, EventEmitter } from '../../lib/index.js';

/**
 * Tells the application's sinks what operators do to its circuit breakers. What calls do to them is told with the call.
 */
export class OperatorEvents implements OnApplicationShutdown {
  private readonly end: () => void;

  constructor(
    registry: CircuitBreakerRegistry,
    /** Who is told at this moment. */
    private readonly emitters: () => readonly (EventEmitter | undefined)[],
    private readonly warn: (message: string) => void,
  ) {
    this.end = registry.onTransition((transition) => this.tell(transition));
  }

  /** A breaker may outlive the application. */
  onApplicationShutdown(): void {
    this.end();
  }

  private tell(transition: CircuitBreakerTransition): void {
    if (transition.by !== 'operator') return;
    const operationName = `circuit_breaker:${transition.breakerName}`;
    const payload = transitionPayload(transition);
    for (const emitter of this.emitters())
      emitter
        ?.emit(transitionEventType(transition.to), { operationName, payload })
        .catch((error: unknown) => {
          this.warn(`an event sink failed with ${errorType(error)} on a change of ${operationName}`);
        });
  }
}
