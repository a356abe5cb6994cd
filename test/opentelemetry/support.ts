import { context, trace, type Context, type ContextManager } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import * as metricsSdk from '@opentelemetry/sdk-metrics';
import * as traceSdk from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach } from '@jest/globals';

/** The SDK, of whichever version. */
export interface Sdk {
  readonly traceSdk: Pick<
    typeof traceSdk,
    'BasicTracerProvider' | 'InMemorySpanExporter' | 'SimpleSpanProcessor' | 'AlwaysOffSampler'
  >;
  readonly metricsSdk: Pick<
    typeof metricsSdk,
    'AggregationTemporality' | 'InMemoryMetricExporter' | 'MeterProvider' | 'PeriodicExportingMetricReader'
  >;
  readonly ContextManager: new () => ContextManager;
}

export const SDK_2: Sdk = { traceSdk, metricsSdk, ContextManager: AsyncLocalStorageContextManager };

/** Registers, around each test, what carries the active span from one function to the next. */
export function withActiveContext({ ContextManager }: Sdk = SDK_2): void {
  beforeEach(() => void context.setGlobalContextManager(new ContextManager().enable()));
  afterEach(() => context.disable());
}

/** A provider whose ended spans can be read. */
export function tracing({ traceSdk: sdk }: Sdk = SDK_2) {
  const exporter = new sdk.InMemorySpanExporter();
  const provider = new sdk.BasicTracerProvider({ spanProcessors: [new sdk.SimpleSpanProcessor(exporter)] });
  const tracer = provider.getTracer('test');
  const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans();
  return {
    provider,
    tracer,
    spans,
    /** The only one of this name. */
    span: (name: string): ReadableSpan => onlyOne(spans().filter((span) => span.name === name)),
    /** Runs something inside a span that ends with it. */
    inSpan: <T>(name: string, run: () => Promise<T>): Promise<T> =>
      tracer.startActiveSpan(name, (span) => run().finally(() => span.end())),
  };
}

/** A measurement as it stands in the exporter. */
export interface Point {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

/** A provider whose measurements can be read. With `'DELTA'` only those since the last time. */
export function metering({ metricsSdk: sdk }: Sdk = SDK_2, reads: 'CUMULATIVE' | 'DELTA' = 'CUMULATIVE') {
  const exporter = new sdk.InMemoryMetricExporter(sdk.AggregationTemporality[reads]);
  const reader = new sdk.PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new sdk.MeterProvider({ readers: [reader] });
  const read = async () => {
    exporter.reset();
    await reader.forceFlush();
    return exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  };
  return {
    provider,
    /** All metrics as they stand now. */
    read,
    /** What was measured under a name: `{ a: 'x' } => 1` for counters, count and sum for histograms. */
    points: async (name: string): Promise<readonly Point[]> => {
      const found = (await read()).filter(({ descriptor }) => descriptor.name === name);
      return found.flatMap(({ dataPoints }) =>
        (dataPoints as { attributes: Record<string, unknown>; value: unknown }[]).map(
          ({ attributes, value }) => ({
            attributes,
            value: typeof value === 'object' ? countAndSum(value as { count: number; sum: number }) : value,
          }),
        ),
      );
    },
    stop: () => provider.shutdown(),
  };
}

function countAndSum({ count, sum }: { count: number; sum: number }) {
  return { count, sum };
}

/** Points with the names of their attributes cut short: what they all begin with says nothing. */
export function short(points: readonly Point[]): readonly (readonly [Record<string, unknown>, unknown])[] {
  return points.map(({ attributes, value }) => {
    const named = Object.entries(attributes).map(([key, word]) => [key.replace('relprim.', ''), word]);
    return [Object.fromEntries(named) as Record<string, unknown>, value];
  });
}

/** The id of the span that a span is in, in any version of the SDK. */
export function parentOf(span: ReadableSpan): string | undefined {
  return span.parentSpanContext?.spanId ?? (span as { parentSpanId?: string }).parentSpanId;
}

export function idOf(span: ReadableSpan): string {
  return span.spanContext().spanId;
}

export function activeSpanId(from: Context = context.active()): string | undefined {
  return trace.getSpan(from)?.spanContext().spanId;
}

function onlyOne<T>(found: readonly T[]): T {
  if (found.length !== 1) throw new Error(`there are ${found.length} and not 1`);
  return found[0] as T;
}
