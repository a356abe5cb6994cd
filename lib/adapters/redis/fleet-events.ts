import type { EventEmitter } from '../../events/event-emitter.js';
import { StructuredEvent, type AnyEvent } from '../../events/structured-event.js';
import type { CircuitBreakerTransition } from '../../policies/circuit-breaker/circuit-breaker-state.js';
import { transitionEventType, transitionPayload } from '../../policies/circuit-breaker/transition-event.js';
import type { Clock } from '../../time/clock.js';

/** `shared`: the others are heard. `alone`: they are not, now or not yet, and each process goes by itself. */
export type SharingState = 'shared' | 'alone';

/** Who is told what becomes of sharing. What they do wrong is no reason to stop it. */
export class FleetEvents {
  constructor(
    private readonly clock: Clock,
    private readonly events: EventEmitter | undefined,
    private readonly onChange: ((state: SharingState) => unknown) | undefined,
  ) {}

  turned(state: SharingState, breakerCount: number): void {
    this.tell({
      eventType: 'circuit_breaker.sharing_changed',
      operationName: 'circuit_breakers',
      payload: { shared: state === 'shared', breaker_count: breakerCount },
    });
    attempt(() => this.onChange?.(state));
  }

  /** The others have moved a breaker: no call did, so that nothing else tells of it. */
  moved(transition: CircuitBreakerTransition): void {
    this.tell({
      eventType: transitionEventType(transition.to),
      operationName: `circuit_breaker:${transition.breakerName}`,
      payload: transitionPayload(transition),
    });
  }

  private tell(event: Pick<AnyEvent, 'eventType' | 'operationName' | 'payload'>): void {
    const { events, clock } = this;
    if (events === undefined) return;
    const timestamp = new Date(clock.wallMs());
    attempt(() => events.tell(new StructuredEvent({ ...event, timestamp }) as unknown as AnyEvent));
  }
}

function attempt(tell: () => unknown): void {
  try {
    const told = tell();
    if (told instanceof Promise) told.catch(() => undefined);
  } catch {
    // Nobody can be told.
  }
}
