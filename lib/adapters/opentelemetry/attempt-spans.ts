import { SpanKind, trace, type Context, type Span, type SpanContext, type Tracer } from '@opentelemetry/api';
import type { ProbedAttempt, ProbedCall } from '../../events/call-probe.js';
import {
  ATTEMPT_KIND,
  ATTEMPT_NUMBER,
  ATTEMPT_OUTCOME,
  FALLBACK_CANDIDATE,
  OPERATION_NAME,
} from './attributes.js';
import { setFailure } from './set-failure.js';

type Kind = 'primary' | 'fallback';

/** The spans of the attempts of one call, one after the other. */
export class AttemptSpans {
  private running: Span | undefined;
  private inside: Context | undefined;
  /** Of the latest attempt; what it is, a retry links to. */
  private latest: SpanContext | undefined;

  constructor(
    private readonly tracer: Tracer,
    private readonly operationName: string,
    private readonly parent: Context,
    private readonly messages: boolean,
  ) {}

  /** What the method runs in. All candidates of a fallback run in one span. */
  contextOf({ attemptNumber, phase }: ProbedCall): Context {
    if (this.running === undefined || this.inside === undefined) {
      this.running = this.start(attemptNumber, phase === 'fallback' ? 'fallback' : 'primary');
      this.inside = trace.setSpan(this.parent, this.running);
    }
    return this.inside;
  }

  succeed(): void {
    this.running?.setAttribute(ATTEMPT_OUTCOME, 'succeeded');
    this.end();
  }

  note({ number, fallback, status, error, refused, candidate }: ProbedAttempt): void {
    // One that a circuit breaker has refused, or that ended before its method was called, has a span all the same.
    const span = (this.running ??= this.start(number, fallback ? 'fallback' : 'primary'));
    span.setAttribute(ATTEMPT_OUTCOME, refused ? 'refused' : status);
    if (candidate !== undefined) span.setAttribute(FALLBACK_CANDIDATE, candidate.name);
    if (status === 'failed' || status === 'timed_out') setFailure(span, error, this.messages);
    this.end();
  }

  private start(number: number, kind: Kind): Span {
    const attributes = {
      [OPERATION_NAME]: this.operationName,
      [ATTEMPT_NUMBER]: number,
      [ATTEMPT_KIND]: kind,
    };
    const name = `${this.operationName} ${kind === 'primary' ? 'attempt' : 'fallback'}`;
    const { latest } = this;
    const links = kind === 'primary' && latest !== undefined ? [{ context: latest }] : [];
    const span = this.tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes, links }, this.parent);
    this.latest = span.spanContext();
    return span;
  }

  private end(): void {
    const { running } = this;
    this.running = this.inside = undefined;
    running?.end();
  }
}
