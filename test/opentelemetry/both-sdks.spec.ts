import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  OpenTelemetryEventSink,
  OpenTelemetryMetrics,
  OpenTelemetrySpans,
} from '../../lib/adapters/opentelemetry.js';
import { CircuitBreaker, EventEmitter, RetryPolicy } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { build, everySeconds, gives, rejects, Upstream } from '../operation/support.js';
import {
  activeSpanId,
  idOf,
  metering,
  parentOf,
  SDK_2,
  short,
  tracing,
  withActiveContext,
  type Sdk,
} from './support.js';

/** Where another SDK than the installed one may be: `npm i --prefix .matrix/otel1 @opentelemetry/sdk-trace-base@1 …`. */
const OTHER = join(import.meta.dirname, '../../.matrix/otel1/node_modules/@opentelemetry');

async function otherSdk(): Promise<Sdk> {
  const load = (name: string): Promise<any> => import(join(OTHER, name, 'build/src/index.js'));
  const { AsyncLocalStorageContextManager } = await load('context-async-hooks');
  return {
    traceSdk: await load('sdk-trace-base'),
    metricsSdk: await load('sdk-metrics'),
    ContextManager: AsyncLocalStorageContextManager,
  };
}

const sdks: [string, Sdk][] = [['2.x', SDK_2]];
if (existsSync(OTHER)) sdks.push(['1.x', await otherSdk()]);

describe.each(sdks)('with the SDK %s', (_, sdk) => {
  withActiveContext(sdk);

  it('spans, events and metrics of a retried call are what they are meant to be', async () => {
    const { provider, inSpan, span, spans } = tracing(sdk);
    const meter = metering(sdk);
    const clock = new FakeClock();
    const seen: (string | undefined)[] = [];
    const upstream = new Upstream(rejects(new TypeError('down')), gives(1));
    const method = (): unknown => {
      seen.push(activeSpanId());
      return upstream.call();
    };
    const sinks = [
      new OpenTelemetryEventSink(),
      new OpenTelemetrySpans({ tracerProvider: provider }),
      new OpenTelemetryMetrics({ meterProvider: meter.provider }),
    ];
    const operation = build(
      method,
      {
        retry: new RetryPolicy({ maxAttempts: 2, backoff: everySeconds(1) }),
        circuitBreaker: new CircuitBreaker({ name: 'b' }),
        events: new EventEmitter({ sinks }),
      },
      clock,
    );
    await clock.settle(inSpan('request', () => operation.run()));

    const attempts = spans().filter(({ name }) => name === 'op attempt');
    expect(seen).toEqual(attempts.map(idOf));
    expect(attempts.map(parentOf)).toEqual([idOf(span('op')), idOf(span('op'))]);
    expect(attempts[1]?.links.map((link) => link.context.spanId)).toEqual([idOf(attempts[0]!)]);
    expect(attempts.map(({ attributes }) => attributes['error.type'])).toEqual(['TypeError', undefined]);
    expect(parentOf(span('op'))).toBe(idOf(span('request')));
    expect(span('op').status.code).toBe(0);
    expect(span('op').events).toHaveLength(7);

    const points = async (name: string) => short(await meter.points(`relprim.${name}`));
    expect(await points('operation.duration')).toEqual([
      [
        { 'operation.name': 'op', 'operation.outcome': 'succeeded' },
        { count: 1, sum: 1 },
      ],
    ]);
    expect((await points('operation.attempts')).map(([, count]) => count)).toEqual([1, 1]);
    expect((await points('circuit_breaker.state')).map(([, count]) => count)).toEqual([1, 0, 0]);
    await meter.stop();
  });
});
