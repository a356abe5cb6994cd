import { StructuredEvent, type AnyEvent, type EventEmitter, type EventSink } from '../../lib/index.js';

export const timestamp = new Date('2026-01-01T00:00:00.250Z');

/** An event whose payload carries a number, to tell one from the other. */
export function event(number = 1, operationName = 'charge'): AnyEvent {
  const payload = { attempt_number: number, max_attempts: 3 };
  return new StructuredEvent({ eventType: 'attempt.started', operationName, timestamp, payload });
}

export function numberOf(told: AnyEvent): number {
  return (told as StructuredEvent<'attempt.started'>).payload.attempt_number;
}

/** A sink that notes the numbers of its events, and does what it is told to. */
export class NotingSink implements EventSink {
  readonly numbers: number[] = [];

  constructor(private readonly then: (number: number) => void | Promise<void> = () => undefined) {}

  emit(told: AnyEvent): void | Promise<void> {
    this.numbers.push(numberOf(told));
    return this.then(numberOf(told));
  }
}

/** Tells events with these numbers, as calls do: without waiting. */
export function tell(emitter: EventEmitter, ...numbers: number[]): void {
  for (const number of numbers) void emitter.tell(event(number));
}
