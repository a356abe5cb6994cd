export { OpenTelemetryEventSink } from './opentelemetry/event-sink.js';
export type { OpenTelemetryEventSinkOptions } from './opentelemetry/event-sink.js';
export { OpenTelemetryMetrics } from './opentelemetry/metrics.js';
export type { OpenTelemetryMetricsOptions } from './opentelemetry/metrics.js';
export { OpenTelemetrySpans } from './opentelemetry/spans.js';
export type { OpenTelemetrySpansOptions } from './opentelemetry/spans.js';
export type { ShieldReading, WatchedShield } from './opentelemetry/shield-gauges.js';
