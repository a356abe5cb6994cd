import { describe, expect, it } from 'tstyche';
import {
  EventEmitter,
  InMemoryEventSink,
  StructuredEvent,
  type AnyEvent,
  type AttemptFailedPayload,
  type EventPayloads,
  type EventSink,
  type EventType,
  type Scalar,
} from '../../lib/index.js';

declare const event: AnyEvent;

describe('an event', () => {
  it('is told apart by its type, which gives its payload', () => {
    if (event.eventType === 'attempt.failed') {
      expect(event).type.toBe<StructuredEvent<'attempt.failed'>>();
      expect(event.payload).type.toBe<Readonly<AttemptFailedPayload>>();
      expect(event.payload.error_type).type.toBe<string>();
      expect(event.payload.retryable).type.toBe<boolean>();
    } else if (event.eventType === 'retry.scheduled') {
      expect(event.payload.delay_seconds).type.toBe<number>();
      expect(event.payload.delay_source).type.toBe<'provider' | 'backoff'>();
    } else if (event.eventType === 'circuit_breaker.rejected') {
      expect(event.payload.retry_after_seconds).type.toBe<number | null>();
    } else if (event.eventType === 'validation.failed') {
      expect(event.payload.reason).type.toBe<string>();
    } else {
      // @ts-expect-error Property 'error_type' does not exist on type
      void event.payload.error_type;
    }
  });

  it('has a payload of scalars only, under every type', () => {
    type ValuesOf<P> = P extends unknown ? P[keyof P] : never;
    expect<ValuesOf<EventPayloads[EventType]>>().type.toBeAssignableTo<Scalar | undefined>();
  });

  it('cannot be changed', () => {
    // @ts-expect-error Cannot assign to 'eventType' because it is a read-only property.
    event.eventType = 'attempt.started';
    if (event.eventType !== 'attempt.started') return;
    // @ts-expect-error Cannot assign to 'attempt_number' because it is a read-only property.
    event.payload.attempt_number = 2;
  });

  it('made by hand must have the payload of its type', () => {
    const common = { operationName: 'op', timestamp: new Date() };
    const payload = { attempt_number: 1, max_attempts: 1 };
    expect(new StructuredEvent({ ...common, eventType: 'attempt.started', payload })).type.toBe<
      StructuredEvent<'attempt.started'>
    >();
    // @ts-expect-error Type '{ attempt_number: number; max_attempts: number; }' is missing the following properties
    new StructuredEvent({ ...common, eventType: 'retry.scheduled', payload });
    // @ts-expect-error Type '"attempt.begun"' is not assignable to type
    new StructuredEvent({ ...common, eventType: 'attempt.begun', payload });
  });
});

describe('a sink', () => {
  it('may answer at once or later', () => {
    const atOnce: EventSink = { emit: (told) => void told.eventType };
    const later: EventSink = { emit: async (told) => void told.callId };
    new EventEmitter({ sinks: [atOnce, later, new InMemoryEventSink()] });
    expect<(told: AnyEvent) => void>().type.toBeAssignableTo<EventSink['emit']>();
    expect<(told: AnyEvent) => string>().type.not.toBeAssignableTo<EventSink['emit']>();
    // @ts-expect-error Property 'emit' is missing
    new EventEmitter({ sinks: [{}] });
  });

  it('in memory gives the events in their types', () => {
    const sink = new InMemoryEventSink();
    expect(sink.events()).type.toBe<readonly AnyEvent[]>();
    expect(sink.sequence()).type.toBe<readonly EventType[]>();
  });
});
