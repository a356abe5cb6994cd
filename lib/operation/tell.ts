import { StructuredEvent, type AnyEvent } from '../events/structured-event.js';
import type { EventPayloads, EventType } from '../events/event-types.js';
import { wallStart } from './account.js';
import type { Call } from './call.js';
import { CUT } from './interruptible.js';
import { Interruption } from './interruption.js';

/**
 * Tells the emitters of a call what happened at a moment. The payload is made when somebody reads it, so it must be
 * made of what no longer changes. Gives a promise only where a sink gave one.
 */
export function tell<T extends EventType>(
  call: Call,
  eventType: T,
  atMs: number,
  payload: () => EventPayloads[T],
): Promise<void> | undefined {
  if (call.emitters === undefined) return undefined;
  if (call.cancelled) throw CUT;
  const timestamp = new Date(wallStart(call) + atMs - call.startMs);
  const callId = (): string => call.callId;
  const event = new StructuredEvent({ eventType, operationName: call.plan.name, timestamp, payload, callId });
  return tellFrom(call, 0, event as unknown as AnyEvent);
}

function tellFrom(call: Call, start: number, event: AnyEvent): Promise<void> | undefined {
  const emitters = call.emitters ?? [];
  for (let index = start; index < emitters.length; index += 1) {
    let told: Promise<void> | undefined;
    try {
      told = emitters[index]?.tell(event);
    } catch (error) {
      throw new Interruption(error);
    }
    if (told !== undefined) return awaitSink(call, told).then(() => tellFrom(call, index + 1, event));
  }
  if (call.cancelled) throw CUT;
  return undefined;
}

async function awaitSink(call: Call, told: Promise<void>): Promise<void> {
  const { phase } = call;
  call.phase = 'telling';
  try {
    await call.untilCut(told);
  } catch (error) {
    throw error === CUT ? CUT : new Interruption(error);
  } finally {
    call.phase = phase;
  }
  call.stopWaiting();
}
