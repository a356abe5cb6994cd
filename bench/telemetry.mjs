// OpenTelemetry as applications have it: the real SDK, which keeps measurements and throws spans away.
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { OpenTelemetryMetrics, OpenTelemetrySpans } from 'relprim/opentelemetry';

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
  const exporter = { export: (_spans, done) => done({ code: 0 }), shutdown: async () => undefined };
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return new OpenTelemetrySpans({ tracerProvider });
}
