import type { EventPayloads, EventType } from '../../events/event-types.js';
import { StructuredEvent, type AnyEvent } from '../../events/structured-event.js';
import { errorType } from '../../report/execution-error.js';
import type { Plan } from '../plan.js';

/**
 * Tells sinks what happened after the end of an execution, when there is no call left that could wait for them or fail
 * with them.
 */
export function tellAside<T extends EventType>(
  { name, host, emitters = [] }: Plan,
  { callId }: { readonly callId: string },
  eventType: T,
  payload: EventPayloads[T],
): void {
  if (emitters.length === 0) return;
  const timestamp = new Date(host.clock.wallMs());
  const event = new StructuredEvent({ eventType, operationName: name, timestamp, payload, callId });
  const complain = (error: unknown): void =>
    host.warn(`a sink of ${name} failed with ${errorType(error)} when told of ${eventType}`);
  for (const emitter of emitters) {
    try {
      emitter.tell(event as unknown as AnyEvent)?.catch(complain);
    } catch (error) {
      complain(error);
    }
  }
}
