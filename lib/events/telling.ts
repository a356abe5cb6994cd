import type { EventSink } from './event-sink.js';
import type { AnyEvent } from './structured-event.js';

let telling = false;

/** Hands one event to a sink. Operations that start in the sink's synchronous part make no events of their own. */
export function tellSink(sink: EventSink, event: AnyEvent): void | Promise<void> {
  const outer = telling;
  telling = true;
  try {
    return sink.emit(event);
  } finally {
    telling = outer;
  }
}

/** Whether a sink is being told something right now, so that a sink which is itself resilient does not recurse. */
export function isTelling(): boolean {
  return telling;
}
