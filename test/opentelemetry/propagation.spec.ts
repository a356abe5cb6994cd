import { context, createContextKey, trace } from '@opentelemetry/api';
import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Observable } from 'rxjs';
import { OpenTelemetrySpans } from '../../lib/adapters/opentelemetry.js';
import { EventEmitter, fallbackChain, Resilient, RetryPolicy, TimeoutPolicy } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import '../../nest-module/index.js';
import { build, everySeconds } from '../operation/support.js';
import { idOf, parentOf, tracing, withActiveContext } from './support.js';

withActiveContext();

describe('the context of an attempt', () => {
  it('holds what a client does in it, through awaits, retries, timeouts and the fallback', async () => {
    const { provider, tracer, spans } = tracing();
    const clock = new FakeClock();
    const client = async (name: string): Promise<void> => {
      const span = tracer.startSpan(name);
      await nextTurn();
      span.end();
    };
    let calls = 0;
    const method = async (): Promise<never> => {
      const number = (calls += 1);
      await client(`GET ${number}`);
      // After an await, too, it is the same attempt.
      await client(`POST ${number}`);
      if (number === 2) await new Promise(() => undefined);
      throw new Error('down');
    };
    const sinks = [new OpenTelemetrySpans({ tracerProvider: provider })];
    const operation = build(
      method,
      {
        retry: new RetryPolicy({ maxAttempts: 3, backoff: everySeconds(1) }),
        timeout: new TimeoutPolicy(5),
        fallbacks: fallbackChain(['other', () => client('GET other')]),
        events: new EventEmitter({ sinks }),
      },
      clock,
    );
    await clock.settle(operation.run());
    const ofAttempts = spans().filter(({ name }) => name.startsWith('op '));
    const parents = spans()
      .filter(({ name }) => /^(GET|POST)/.test(name))
      .map((span) => [
        span.name,
        ofAttempts.find((attempt) => idOf(attempt) === parentOf(span))?.attributes['relprim.attempt.number'],
      ]);
    expect(parents).toEqual([
      ['GET 1', 1],
      ['POST 1', 1],
      ['GET 2', 2],
      ['POST 2', 2],
      ['GET 3', 3],
      ['POST 3', 3],
      ['GET other', 4],
    ]);
  });

  it('keeps what else the caller has put into its context', async () => {
    const key = createContextKey('tenant');
    const { provider } = tracing();
    const clock = new FakeClock();
    const seen: unknown[] = [];
    const method = async (): Promise<void> => {
      seen.push(context.active().getValue(key));
      if (seen.length < 3) throw new Error('down');
    };
    const events = new EventEmitter({ sinks: [new OpenTelemetrySpans({ tracerProvider: provider })] });
    const retry = new RetryPolicy({ maxAttempts: 3, backoff: everySeconds(1) });
    const operation = build(method, { retry, events }, clock);
    await clock.settle(context.with(context.active().setValue(key, 'acme'), () => operation.run()));
    expect(seen).toEqual(['acme', 'acme', 'acme']);
  });

  it("is the call's own, of those that run at the same time and share a timer", async () => {
    const { provider, inSpan, spans } = tracing();
    const clock = new FakeClock();
    const traces: Record<string, string[]> = { a: [], b: [], c: [] };
    const method = async (name: string): Promise<void> => {
      traces[name]?.push(trace.getActiveSpan()?.spanContext().traceId ?? 'none');
      if (traces[name]?.length === 1) await new Promise(() => undefined);
    };
    const operation = build(
      method,
      {
        retry: new RetryPolicy({ maxAttempts: 2, backoff: everySeconds(1) }),
        timeout: new TimeoutPolicy(2),
        events: new EventEmitter({ sinks: [new OpenTelemetrySpans({ tracerProvider: provider })] }),
      },
      clock,
    );
    const names = ['a', 'b', 'c'];
    await clock.settle(Promise.all(names.map((name) => inSpan(name, () => operation.run(name)))));
    for (const name of names) {
      const own = spans()
        .find((span) => span.name === name)
        ?.spanContext().traceId;
      expect(traces[name]).toEqual([own, own]);
    }
  });

  it('is not that of what follows the call', async () => {
    const { provider, inSpan } = tracing();
    const events = new EventEmitter({ sinks: [new OpenTelemetrySpans({ tracerProvider: provider })] });
    const operation = build(async () => 1, { events }, new FakeClock());
    await inSpan('request', async () => {
      const before = trace.getActiveSpan();
      const running = operation.run();
      expect(trace.getActiveSpan()).toBe(before);
      await running;
      expect(trace.getActiveSpan()).toBe(before);
    });
  });

  it('holds what a subscription starts, where a method returns an Observable', async () => {
    const { provider, tracer, span } = tracing();
    class Client {
      @Resilient({
        retries: 0,
        events: new EventEmitter({ sinks: [new OpenTelemetrySpans({ tracerProvider: provider })] }),
      })
      read(): Observable<number> {
        return new Observable<number>((subscriber) => {
          tracer.startSpan('GET').end();
          subscriber.next(1);
          subscriber.complete();
        });
      }
    }
    const values: number[] = [];
    await new Promise<void>((resolve, reject) => {
      new Client()
        .read()
        .subscribe({ next: (value) => values.push(value), error: reject, complete: resolve });
    });
    expect(values).toEqual([1]);
    expect(parentOf(span('GET'))).toBe(idOf(span('Client.read attempt')));
  });
});
