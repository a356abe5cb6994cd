import {
  context,
  diag,
  SpanKind,
  trace,
  type Context,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api';
import { checkFlag, checkFunction, checkOptions } from '../../errors/check.js';
import type { CallProbe, ProbedAttempt, ProbedCall } from '../../events/call-probe.js';
import type { EventSink } from '../../events/event-sink.js';
import { AttemptSpans } from './attempt-spans.js';
import { OPERATION_NAME } from './attributes.js';
import { OperationSpan } from './operation-span.js';

/** Options of {@link OpenTelemetrySpans}. */
export interface OpenTelemetrySpansOptions {
  /** Where spans are made. Default: the provider that the application has registered, now or later. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Whether the status of a failed span holds the error's message. Default false: it may repeat anything. */
  readonly messages?: boolean | undefined;
}

/**
 * A span for every call of an operation, and in it one for each attempt and for the fallback, inside which the method
 * runs. Give it where event sinks are given; it is told no events.
 */
export class OpenTelemetrySpans implements EventSink {
  /** @internal */
  readonly probe: CallProbe;

  /** @throws {ConfigurationError} for options that are none. */
  constructor(options: OpenTelemetrySpansOptions = {}) {
    checkOptions('OpenTelemetrySpans', options, ['tracerProvider', 'messages']);
    const { tracerProvider: provider = trace, messages } = options;
    checkFunction('tracerProvider.getTracer', (provider as Partial<TracerProvider> | null)?.getTracer);
    this.probe = new SpanProbe(provider.getTracer('relprim'), checkFlag('messages', messages));
  }

  /** Nothing: what is to be told is seen in the calls themselves. */
  emit(): void {}
}

class SpanProbe implements CallProbe {
  private readonly operations = new WeakMap<ProbedCall, OperationSpan>();
  private readonly attempts = new WeakMap<ProbedCall, AttemptSpans>();

  constructor(
    private readonly tracer: Tracer,
    private readonly messages: boolean,
  ) {}

  launch(call: ProbedCall, run: () => Promise<unknown>): Promise<unknown> {
    const operation = this.begin(call);
    return operation === undefined ? run() : context.with(operation.context, run);
  }

  /** The attempts of a call with a key are made by what works for it, which may go on without it. */
  execute(call: ProbedCall, execution: ProbedCall): void {
    const operation = this.operations.get(call);
    if (operation !== undefined) this.attempts.set(execution, this.attemptsIn(operation.context, call));
  }

  invoke(call: ProbedCall, run: () => unknown): unknown {
    const inside = this.enter(call);
    return inside === undefined ? run() : context.with(inside, run);
  }

  succeed(call: ProbedCall): void {
    this.attempts.get(call)?.succeed();
  }

  note(call: ProbedCall, attempt: ProbedAttempt): void {
    this.attempts.get(call)?.note(attempt);
  }

  end(call: ProbedCall): void {
    this.operations.get(call)?.end(call);
    // Not left to the collector: a table that was large once keeps its size until something is taken out of it.
    this.operations.delete(call);
    this.attempts.delete(call);
  }

  /** A span processor that fails must not fail the call. */
  private begin(call: ProbedCall): OperationSpan | undefined {
    try {
      const parent = context.active();
      const attributes = { [OPERATION_NAME]: call.operationName };
      const span = this.tracer.startSpan(call.operationName, { kind: SpanKind.INTERNAL, attributes }, parent);
      const operation = new OperationSpan(span, trace.setSpan(parent, span), this.messages);
      this.operations.set(call, operation);
      this.attempts.set(call, this.attemptsIn(operation.context, call));
      return operation;
    } catch (error) {
      diag.error('relprim: no span for a call', error);
      return undefined;
    }
  }

  private enter(call: ProbedCall): Context | undefined {
    try {
      return this.attempts.get(call)?.contextOf(call);
    } catch (error) {
      diag.error('relprim: no span for an attempt', error);
      return undefined;
    }
  }

  private attemptsIn(parent: Context, { operationName }: ProbedCall): AttemptSpans {
    return new AttemptSpans(this.tracer, operationName, parent, this.messages);
  }
}
