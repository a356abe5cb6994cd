import type { EventPayloads, EventType } from '../../events/event-types.js';
import { StructuredEvent, type AnyEvent } from '../../events/structured-event.js';
import { errorType } from '../../report/execution-error.js';
import type { Plan } from '../plan.js';

/** Whose sinks are told: none where the call itself was made by a sink. */
export type Teller = Pick<Plan, 'name' | 'host' | 'emitters'>;

/**
 * Tells sinks what happened after the end of an execution, when there is no call left that could wait for them or fail
 * with them.
 */
export function tellAside<T extends EventType>(
  { name, host, emitters = [] }: Teller,
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

/** Gives what tells that a store has failed at something that nobody waits for. */
export function storeFailure(
  teller: Teller,
  call: { readonly callId: string },
  step: 'complete' | 'release',
): (error: unknown) => void {
  return (error) =>
    tellAside(teller, call, 'idempotency.store_failed', {
      step,
      error_type: errorType(error),
      continued: true,
    });
}
