// OpenTelemetry as applications have it: the real SDK, which keeps measurements and throws spans away.
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { OpenTelemetryEventSink, OpenTelemetryMetrics, OpenTelemetrySpans } from 'relprim/opentelemetry';

export function metricsOfSdk() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  return new OpenTelemetryMetrics({ meterProvider: new MeterProvider({ readers: [reader] }) });
}

/** Without an SDK what is left is what this package does itself. */
export function metricsOfNobody() {
  return new OpenTelemetryMetrics();
}

export function spansOfSdk() {
  return new OpenTelemetrySpans({ tracerProvider: tracerProvider() });
}

export function eventsOnSpans() {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return new OpenTelemetryEventSink();
}

/** Each call has a span of the application's around it, which is part of what is measured. */
export function withinSpan(call) {
  tracer ??= tracerProvider().getTracer('bench');
  const span = tracer.startSpan('request');
  return context.with(trace.setSpan(context.active(), span), call).finally(() => span.end());
}

let tracer;

function tracerProvider() {
  const exporter = { export: (_spans, done) => done({ code: 0 }), shutdown: async () => undefined };
  return new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
}
