import 'reflect-metadata';
import { context, metrics, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  OpenTelemetryEventSink,
  OpenTelemetryMetrics,
  OpenTelemetrySpans,
} from '../../lib/adapters/opentelemetry.js';
import { CircuitBreakerRegistry, Resilient, type EventSink } from '../../lib/index.js';
import { ResilienceModule } from '../../nest-module/index.js';
import { idOf, metering, parentOf, SDK_2, short, tracing, withActiveContext } from './support.js';

withActiveContext();

@Injectable()
class PaymentsClient {
  private failures = 1;

  @Resilient({ retries: 1, backoff: { delayForRetry: () => 0 }, circuitBreaker: 'payments' })
  async charge(_order: string): Promise<string> {
    trace.getTracer('http').startSpan('POST').end();
    if ((this.failures -= 1) >= 0) throw new Error('down');
    return 'receipt';
  }
}

const apps: INestApplicationContext[] = [];
const meters: { stop: () => Promise<void> }[] = [];

async function application(eventSinks: readonly (Type<EventSink> | EventSink)[]) {
  const root = ResilienceModule.forRoot({
    circuitBreakers: [{ name: 'payments' }, { name: 'unused' }],
    eventSinks,
    silenceWarnings: ['retries-without-retry-on'],
  });
  class AppModule {}
  const app = await NestFactory.createApplicationContext(
    { module: AppModule, imports: [root], providers: [PaymentsClient] },
    { logger: false },
  );
  apps.push(app);
  return app;
}

/** Registers SDKs for the whole process, as applications do before they start. */
function sdks() {
  const traced = tracing();
  const measured = metering(SDK_2, 'DELTA');
  meters.push(measured);
  trace.setGlobalTracerProvider(traced.provider);
  metrics.setGlobalMeterProvider(measured.provider);
  return { ...traced, points: async (name: string) => short(await measured.points(`relprim.${name}`)) };
}

beforeEach(() => {
  trace.disable();
  metrics.disable();
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  for (const meter of meters.splice(0)) await meter.stop();
  trace.disable();
  metrics.disable();
  context.disable();
});

describe('in a NestJS application, given as event sinks', () => {
  it('as classes, all of them see every call', async () => {
    const { spans, span, points } = sdks();
    const app = await application([OpenTelemetryEventSink, OpenTelemetrySpans, OpenTelemetryMetrics]);
    await app.get(PaymentsClient).charge('order');
    const attempts = spans().filter(({ name }) => name === 'PaymentsClient.charge attempt');
    expect(attempts.map((attempt) => parentOf(attempt))).toEqual([
      idOf(span('PaymentsClient.charge')),
      idOf(span('PaymentsClient.charge')),
    ]);
    const clients = spans().filter(({ name }) => name === 'POST');
    expect(clients.map((client) => parentOf(client))).toEqual(attempts.map(idOf));
    expect(span('PaymentsClient.charge').events.map(({ name }) => name)).toEqual([
      'relprim.operation.started',
      'relprim.attempt.started',
      'relprim.attempt.failed',
      'relprim.retry.scheduled',
      'relprim.attempt.started',
      'relprim.attempt.succeeded',
      'relprim.operation.succeeded',
    ]);
    expect(await points('operation.duration')).toMatchObject([
      [{ 'operation.name': 'PaymentsClient.charge', 'operation.outcome': 'succeeded' }, { count: 1 }],
    ]);
  });

  it('as instances, they do the same', async () => {
    const { spans, points } = sdks();
    const app = await application([new OpenTelemetrySpans(), new OpenTelemetryMetrics()]);
    await app.get(PaymentsClient).charge('order');
    expect(spans().map(({ name }) => name)).toEqual([
      'POST',
      'PaymentsClient.charge attempt',
      'POST',
      'PaymentsClient.charge attempt',
      'PaymentsClient.charge',
    ]);
    expect((await points('operation.attempts')).map(([, count]) => count)).toEqual([1, 1]);
  });

  it('the metrics can be shown all circuit breakers of the application, and let go of them when it stops', async () => {
    const { points } = sdks();
    const app = await application([OpenTelemetryMetrics]);
    app.get(OpenTelemetryMetrics).watchCircuitBreakers(app.get(CircuitBreakerRegistry));
    const names = async () =>
      new Set((await points('circuit_breaker.state')).map(([own]) => own['circuit_breaker.name']));
    expect(await names()).toEqual(new Set(['payments', 'unused']));
    await app.close();
    expect(await names()).toEqual(new Set());
  });
});
