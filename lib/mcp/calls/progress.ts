import { EventEmitter } from '../../events/event-emitter.js';
import type { EventSink } from '../../events/event-sink.js';
import { seconds } from '../../report/explain.js';
import type { Clock } from '../../time/clock.js';
import type { CallContext } from '../tools/tool.js';

/** Tells the client of each attempt and of each wait. What it is told always grows, as the protocol wants it. */
export function progressEvents(context: CallContext, clock: Clock): EventEmitter | undefined {
  const { progress } = context;
  if (progress === undefined) return undefined;
  let total = 1;
  const sink: EventSink = {
    emit: (event) => {
      if (event.eventType === 'attempt.started') {
        total = event.payload.max_attempts;
        const { attempt_number: number } = event.payload;
        progress(number - 1, total, `attempt ${number} of ${total}`);
      } else if (event.eventType === 'retry.scheduled') {
        const { attempt_number: number, delay_seconds: delay, delay_source: source } = event.payload;
        const why = source === 'provider' ? 'as the provider asked' : 'back-off';
        progress(number - 0.5, total, `attempt ${number} failed; the next one in ${seconds(delay)} (${why})`);
      }
    },
  };
  return new EventEmitter({ sinks: [sink], clock });
}
