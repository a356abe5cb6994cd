import { SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, it } from '@jest/globals';
import { OpenTelemetryEventSink, OpenTelemetrySpans } from '../../lib/adapters/opentelemetry.js';
import {
  CircuitBreaker,
  EventEmitter,
  fallbackChain,
  idempotencyPolicy,
  RetryPolicy,
  TimeoutPolicy,
  type EventSink,
  type OperationExecutionError,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  build,
  everySeconds,
  gives,
  hangs,
  rejection,
  rejects,
  throws,
  Upstream,
  type Fn,
  type Policies,
} from '../operation/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { activeSpanId, idOf, parentOf, tracing, withActiveContext } from './support.js';

withActiveContext();

const down = (): Error => Object.assign(new Error('secret: 4111'), { name: 'DownError' });
const thrice = (): RetryPolicy => new RetryPolicy({ maxAttempts: 3, backoff: everySeconds(1) });

function scene(
  fn: Fn,
  policies: Policies = {},
  options: { messages?: boolean } = {},
  more: EventSink[] = [],
) {
  const traced = tracing();
  const clock = new FakeClock();
  const sinks = [new OpenTelemetrySpans({ tracerProvider: traced.provider, ...options }), ...more];
  const operation = build(fn, { ...policies, events: new EventEmitter({ sinks, clock }) }, clock);
  return { ...traced, clock, operation };
}

describe('spans', () => {
  it('are one for the operation, in the span of its caller, and in it one for the attempt', async () => {
    const { operation, inSpan, span, spans } = scene(async () => 1);
    const { report } = await inSpan('request', () => operation.run('secret argument'));
    expect(spans().map(({ name }) => name)).toEqual(['op attempt', 'op', 'request']);
    expect(parentOf(span('op'))).toBe(idOf(span('request')));
    expect(parentOf(span('op attempt'))).toBe(idOf(span('op')));
    expect(span('op').attributes).toEqual({
      'relprim.operation.name': 'op',
      'relprim.operation.outcome': 'succeeded',
      'relprim.operation.attempts': 1,
      'relprim.call.id': report.callId,
    });
    expect(span('op attempt').attributes).toEqual({
      'relprim.operation.name': 'op',
      'relprim.attempt.number': 1,
      'relprim.attempt.kind': 'primary',
      'relprim.attempt.outcome': 'succeeded',
    });
    expect(spans().map(({ status }) => status.code)).toEqual([0, 0, 0]);
  });

  it('link each retry to the attempt before it, and leave an operation that got well unmarked', async () => {
    const upstream = new Upstream(rejects(down()), throws(down()), gives(1));
    const { operation, clock, spans, span } = scene(upstream.call, { retry: thrice() });
    await clock.settle(operation.run());
    const attempts = spans().filter(({ name }) => name === 'op attempt');
    expect(attempts.map(({ attributes }) => attributes['relprim.attempt.number'])).toEqual([1, 2, 3]);
    expect(attempts.map(({ links }) => links.map(({ context }) => context.spanId))).toEqual([
      [],
      [idOf(attempts[0]!)],
      [idOf(attempts[1]!)],
    ]);
    expect(attempts.map(({ status }) => status.code)).toEqual([
      SpanStatusCode.ERROR,
      SpanStatusCode.ERROR,
      SpanStatusCode.UNSET,
    ]);
    expect(attempts.map(({ attributes }) => attributes['error.type'])).toEqual([
      'DownError',
      'DownError',
      undefined,
    ]);
    expect(span('op').status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span('op').attributes).not.toHaveProperty('error.type');
    expect(span('op').attributes['relprim.operation.attempts']).toBe(3);
  });

  it('mark an operation that failed with the type of its error, and nothing that the error says', async () => {
    const { operation, clock, spans, span } = scene(new Upstream(rejects(down())).call, { retry: thrice() });
    await clock.settle(rejection(operation.run()));
    expect(span('op').status).toEqual({ code: SpanStatusCode.ERROR });
    expect(span('op').attributes).toMatchObject({
      'error.type': 'DownError',
      'relprim.operation.outcome': 'failed',
    });
    const written = spans().map(({ attributes, status, events }) => ({ attributes, status, events }));
    expect(JSON.stringify(written)).not.toContain('4111');
  });

  it('say what the error says where messages are asked for', async () => {
    const { operation, span } = scene(new Upstream(rejects(down())).call, {}, { messages: true });
    await rejection(operation.run());
    expect(span('op').status).toEqual({ code: SpanStatusCode.ERROR, message: 'secret: 4111' });
    expect(span('op attempt').status).toEqual({ code: SpanStatusCode.ERROR, message: 'secret: 4111' });
  });

  it('have one for the fallback, whichever of its candidates answers', async () => {
    const seen: (string | undefined)[] = [];
    const candidate = (step: Fn): Fn => {
      return () => {
        seen.push(activeSpanId());
        return step();
      };
    };
    const fallbacks = fallbackChain(
      ['first', candidate(rejects(down()))],
      ['second', candidate(async () => 2)],
    );
    const { operation, clock, span, spans } = scene(new Upstream(rejects(down())).call, { fallbacks });
    await clock.settle(operation.run());
    expect(spans().map(({ name }) => name)).toEqual(['op attempt', 'op fallback', 'op']);
    expect(seen).toEqual([idOf(span('op fallback')), idOf(span('op fallback'))]);
    expect(span('op fallback').attributes).toEqual({
      'relprim.operation.name': 'op',
      'relprim.attempt.number': 2,
      'relprim.attempt.kind': 'fallback',
      'relprim.attempt.outcome': 'succeeded',
      'relprim.fallback.candidate': 'second',
    });
    expect(span('op fallback').links).toEqual([]);
    expect(span('op').attributes['relprim.fallback.used']).toBe(true);
    expect(span('op').status.code).toBe(SpanStatusCode.UNSET);
  });

  it('have one for an attempt that a circuit breaker refuses', async () => {
    const circuitBreaker = new CircuitBreaker({ name: 'b' });
    circuitBreaker.forceOpen('maintenance');
    const { operation, span, spans } = scene(new Upstream(gives(1)).call, { circuitBreaker });
    await rejection(operation.run());
    expect(spans().map(({ name }) => name)).toEqual(['op attempt', 'op']);
    expect(span('op attempt').attributes).toMatchObject({
      'relprim.attempt.outcome': 'refused',
      'error.type': 'CircuitBreakerOpenError',
    });
    expect(span('op').attributes['error.type']).toBe('CircuitBreakerOpenError');
  });

  it('tell a timeout from a failure', async () => {
    const { operation, clock, span } = scene(new Upstream(hangs).call, { timeout: new TimeoutPolicy(1) });
    await clock.settle(rejection(operation.run()));
    expect(span('op attempt').attributes).toMatchObject({
      'relprim.attempt.outcome': 'timed_out',
      'error.type': 'OperationTimeoutError',
    });
    expect(span('op').attributes['relprim.operation.outcome']).toBe('timed_out');
    expect(span('op').status.code).toBe(SpanStatusCode.ERROR);
  });

  it('end, unmarked, when the caller goes away', async () => {
    const { operation, span } = scene(new Upstream(hangs).call);
    const controller = new AbortController();
    const run = rejection(operation.runWith({ signal: controller.signal }));
    controller.abort(down());
    await run;
    for (const name of ['op', 'op attempt']) {
      expect(span(name).status.code).toBe(SpanStatusCode.UNSET);
      expect(span(name).attributes).not.toHaveProperty('error.type');
    }
    expect(span('op').attributes['relprim.operation.outcome']).toBe('cancelled');
    expect(span('op attempt').attributes['relprim.attempt.outcome']).toBe('cancelled');
  });

  it('have one for the operation alone when its caller had gone away before', async () => {
    const { operation, spans } = scene(new Upstream(gives(1)).call);
    await rejection(operation.runWith({ signal: AbortSignal.abort() }));
    expect(spans().map(({ name }) => name)).toEqual(['op']);
  });

  it('mark a call that a sink has ended, without making its good attempt a bad one', async () => {
    const broken: EventSink = {
      emit: ({ eventType }) => {
        if (eventType === 'operation.succeeded') throw down();
      },
    };
    const { operation, span } = scene(new Upstream(gives(1)).call, {}, {}, [broken]);
    await rejection(operation.run());
    expect(span('op attempt').attributes['relprim.attempt.outcome']).toBe('succeeded');
    expect(span('op').status.code).toBe(SpanStatusCode.ERROR);
    expect(span('op').attributes['error.type']).toBe('_OTHER');
  });

  it('are where the events of the call go', async () => {
    const sink = new OpenTelemetryEventSink();
    const upstream = new Upstream(rejects(down()), gives(1));
    const { operation, clock, span } = scene(upstream.call, { retry: thrice() }, {}, [sink]);
    await clock.settle(operation.run());
    expect(span('op').events.map(({ name }) => name)).toEqual([
      'relprim.operation.started',
      'relprim.attempt.started',
      'relprim.attempt.failed',
      'relprim.retry.scheduled',
      'relprim.attempt.started',
      'relprim.attempt.succeeded',
      'relprim.operation.succeeded',
    ]);
    expect(span('op').endTime).toBeDefined();
  });

  it('have attempts only for the call that executes, of those that share a key', async () => {
    const idempotency = idempotencyPolicy((key: string) => key);
    const { operation, clock, spans, inSpan, span } = scene(new Upstream(gives(1)).call, { idempotency });
    const executing = inSpan('a', () => operation.run('key'));
    const joining = inSpan('b', () => operation.run('key'));
    const [first, second] = await clock.settle(Promise.all([executing, joining]));
    await inSpan('c', () => operation.run('key'));
    const operations = spans().filter(({ name }) => name === 'op');
    const statuses = operations.map(({ attributes }) => attributes['relprim.idempotency.status']);
    expect(new Set(statuses)).toEqual(new Set(['executed', 'joined', 'replayed']));
    const executed = operations[statuses.indexOf('executed')]!;
    expect(parentOf(executed)).toBe(idOf(span('a')));
    expect(parentOf(span('op attempt'))).toBe(idOf(executed));
    const ids = operations.map(({ attributes }) => attributes['relprim.call.id']);
    expect(new Set(ids)).toEqual(new Set([first.report.callId, second.report.callId]));
    expect(JSON.stringify(operations.map(({ attributes }) => attributes))).not.toContain('"key"');
  });

  it('end the attempt when it ends, though the caller who executed has left', async () => {
    let finish: (value: number) => void = () => undefined;
    const work = (): Promise<number> => new Promise((resolve) => (finish = resolve));
    const idempotency = idempotencyPolicy((key: string) => key);
    const { operation, spans } = scene(work, { idempotency });
    const controller = new AbortController();
    const left = rejection(operation.runWith({ signal: controller.signal }, 'key'));
    const stays = operation.run('key');
    controller.abort();
    await left;
    expect(spans().map(({ name }) => name)).toEqual(['op']);
    finish(1);
    await stays;
    expect(spans().map(({ name }) => name)).toEqual(['op', 'op attempt', 'op']);
    expect(spans()[1]?.attributes['relprim.attempt.outcome']).toBe('succeeded');
  });

  it('are made inside the spans of operations that call other operations', async () => {
    const inner = scene(async () => 1);
    const sinks = [new OpenTelemetrySpans({ tracerProvider: inner.provider })];
    const outer = build(
      async () => inner.operation.run(),
      { events: new EventEmitter({ sinks }) },
      inner.clock,
    );
    await outer.run();
    const [innerAttempt, innerOperation, outerAttempt, outerOperation] = inner.spans();
    expect([innerAttempt, innerOperation, outerAttempt].map((span) => parentOf(span!))).toEqual([
      idOf(innerOperation!),
      idOf(outerAttempt!),
      idOf(outerOperation!),
    ]);
  });

  it('are not made twice where one object is given twice', async () => {
    const { provider, spans } = tracing();
    const traced = new OpenTelemetrySpans({ tracerProvider: provider });
    const events = new EventEmitter({ sinks: [traced, traced] });
    await build(async () => 1, { events }, new FakeClock()).run();
    expect(spans()).toHaveLength(2);
  });

  it('leave results, reports and errors as they are without them', async () => {
    const failure = down();
    const { operation } = scene(new Upstream(throws(failure)).call);
    const error: OperationExecutionError = await rejection(operation.run());
    expect(error.cause).toBe(failure);
    expect(error.report.attemptCount).toBe(1);
  });

  it.each([
    [{ tracerProvider: {} }, 'tracerProvider.getTracer'],
    [{ tracerProvider: null }, 'tracerProvider.getTracer'],
    [{ messages: 1 }, 'messages'],
    [{ tracer: {} }, 'tracer'],
  ])('refuse options that are none: %j', (options, option) => {
    expect(mistakeOf(() => new OpenTelemetrySpans(options as object)).option).toBe(option);
  });
});
