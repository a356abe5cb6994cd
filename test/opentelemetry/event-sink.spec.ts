import { context, trace } from '@opentelemetry/api';
import { describe, expect, it } from '@jest/globals';
import { OpenTelemetryEventSink } from '../../lib/adapters/opentelemetry.js';
import {
  ConfigurationError,
  EventEmitter,
  fallbackChain,
  RetryPolicy,
  StructuredEvent,
  validationPolicy,
  validator,
  type AnyEvent,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { build, everySeconds, gives, rejects, Upstream } from '../operation/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { tracing, withActiveContext } from './support.js';

withActiveContext();

const AT = new Date('2026-01-02T03:04:05.678Z');

function failedEvent(): AnyEvent {
  return new StructuredEvent({
    eventType: 'retry.scheduled',
    operationName: 'Payments.charge',
    timestamp: AT,
    payload: {
      attempt_number: 1,
      next_attempt_number: 2,
      delay_seconds: 0.5,
      delay_source: 'backoff',
      rate_limited: false,
      retry_after_seconds: null,
    },
  });
}

describe('the event sink', () => {
  it('adds an event to the active span, with its name, its attributes and its own time [R262]', async () => {
    const { inSpan, span } = tracing();
    await inSpan('request', async () => new OpenTelemetryEventSink().emit(failedEvent()));
    const { events } = span('request');
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      name: 'relprim.retry.scheduled',
      time: [AT.getTime() / 1_000 - 0.678, 678_000_000],
    });
    expect(events[0]?.attributes).toEqual({
      'relprim.event.type': 'retry.scheduled',
      'relprim.operation.name': 'Payments.charge',
      'relprim.payload.attempt_number': 1,
      'relprim.payload.next_attempt_number': 2,
      'relprim.payload.delay_seconds': 0.5,
      'relprim.payload.delay_source': 'backoff',
      'relprim.payload.rate_limited': false,
    });
  });

  it('leaves out what is null [R263]', async () => {
    const { inSpan, span } = tracing();
    await inSpan('request', async () => new OpenTelemetryEventSink().emit(failedEvent()));
    const keys = Object.keys(span('request').events[0]?.attributes ?? {});
    expect(keys).not.toContain('relprim.payload.retry_after_seconds');
    expect(keys).toContain('relprim.payload.rate_limited');
  });

  it('does nothing where there is no span, and does not read the payload [R264]', () => {
    let reads = 0;
    const event = new StructuredEvent({
      eventType: 'attempt.started',
      operationName: 'op',
      timestamp: AT,
      payload: () => {
        reads += 1;
        return { attempt_number: 1, max_attempts: 1 };
      },
    });
    new OpenTelemetryEventSink().emit(event);
    expect(reads).toBe(0);
  });

  it('does nothing on a span that does not record [R264]', () => {
    const calls: string[] = [];
    const wrapped = trace.wrapSpanContext({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 0 });
    const silent = Object.assign(Object.create(wrapped) as typeof wrapped, {
      addEvent: () => void calls.push('addEvent'),
    });
    context.with(trace.setSpan(context.active(), silent), () =>
      new OpenTelemetryEventSink().emit(failedEvent()),
    );
    expect(calls).toEqual([]);
  });

  it('tells a whole call in its order, as one story on one span [R265]', async () => {
    const { inSpan, span } = tracing();
    const clock = new FakeClock();
    const upstream = new Upstream(rejects(new Error('one')), rejects(new Error('two')));
    const operation = build(
      upstream.call,
      {
        retry: new RetryPolicy({ maxAttempts: 2, backoff: everySeconds(1) }),
        fallbacks: fallbackChain(['other', async () => 7]),
        events: new EventEmitter({ sinks: [new OpenTelemetryEventSink()], clock }),
      },
      clock,
    );
    await clock.settle(inSpan('request', () => operation.run()));
    expect(span('request').events.map(({ name }) => name)).toEqual([
      'relprim.operation.started',
      'relprim.attempt.started',
      'relprim.attempt.failed',
      'relprim.retry.scheduled',
      'relprim.attempt.started',
      'relprim.attempt.failed',
      'relprim.fallback.started',
      'relprim.fallback.succeeded',
      'relprim.attempt.succeeded',
      'relprim.operation.succeeded',
    ]);
  });

  it('keeps the events of calls that run at the same time on their own spans', async () => {
    const { inSpan, span } = tracing();
    const clock = new FakeClock();
    const operation = build(
      new Upstream(rejects(new Error('one')), rejects(new Error('two')), gives(1)).call,
      {
        retry: new RetryPolicy({ maxAttempts: 3, backoff: everySeconds(1) }),
        events: new EventEmitter({ sinks: [new OpenTelemetryEventSink()], clock }),
      },
      clock,
    );
    const both = ['first', 'second'].map((name) => inSpan(name, () => operation.run()));
    await clock.settle(Promise.all(both));
    const ofCall = [
      'relprim.operation.started',
      'relprim.attempt.started',
      'relprim.attempt.failed',
      'relprim.retry.scheduled',
      'relprim.attempt.started',
      'relprim.attempt.succeeded',
      'relprim.operation.succeeded',
    ];
    expect(span('first').events.map(({ name }) => name)).toEqual(ofCall);
    expect(span('second').events.map(({ name }) => name)).toEqual(ofCall);
  });

  const picky = validationPolicy(
    validator('picky', () => false, { message: 'the card number 4111 is refused' }),
  );
  const rejectedBy = async (sink: OpenTelemetryEventSink) => {
    const { inSpan, span } = tracing();
    const clock = new FakeClock();
    const events = new EventEmitter({ sinks: [sink], clock });
    const operation = build(async () => 1, { validation: picky, events }, clock);
    await inSpan('request', () => operation.run().catch(() => undefined));
    return span('request').events;
  };

  it('does not repeat what a validator said', async () => {
    const events = await rejectedBy(new OpenTelemetryEventSink());
    expect(events.map(({ name }) => name)).toContain('relprim.validation.failed');
    expect(JSON.stringify(events)).not.toContain('4111');
  });

  it('repeats it where messages are asked for', async () => {
    const events = await rejectedBy(new OpenTelemetryEventSink({ messages: true }));
    const rejected = events.find(({ name }) => name === 'relprim.validation.failed');
    expect(rejected?.attributes).toMatchObject({
      'relprim.payload.reason': 'the card number 4111 is refused',
    });
  });

  it('finds the span as it is told to', async () => {
    const { tracer, span } = tracing();
    const found = tracer.startSpan('found');
    new OpenTelemetryEventSink({ getSpan: () => found }).emit(failedEvent());
    found.end();
    expect(span('found').events.map(({ name }) => name)).toEqual(['relprim.retry.scheduled']);
  });

  it.each([
    [{ getSpan: 'active' }, 'getSpan'],
    [{ messages: 'yes' }, 'messages'],
    [{ message: true }, 'message'],
  ])('refuses options that are none: %j', (options, option) => {
    const mistake = mistakeOf(() => new OpenTelemetryEventSink(options as object));
    expect(mistake).toBeInstanceOf(ConfigurationError);
    expect(mistake.option).toBe(option);
  });
});
