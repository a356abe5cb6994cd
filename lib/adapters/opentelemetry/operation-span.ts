import type { Context, Span } from '@opentelemetry/api';
import type { ProbedCall } from '../../events/call-probe.js';
import type { ExecutionReport } from '../../report/execution-report.js';
import {
  CALL_ID,
  FALLBACK_USED,
  IDEMPOTENCY_STATUS,
  OPERATION_ATTEMPTS,
  OPERATION_OUTCOME,
} from './attributes.js';
import { setFailure } from './set-failure.js';

/** The span of one call. */
export class OperationSpan {
  constructor(
    private readonly span: Span,
    /** What runs in the call runs in here. */
    readonly context: Context,
    private readonly messages: boolean,
  ) {}

  end(call: ProbedCall): void {
    // Nobody would read the report.
    if (this.span.isRecording()) this.describe(call.report);
    this.span.end();
  }

  private describe(report: ExecutionReport): void {
    const { span } = this;
    span.setAttribute(CALL_ID, report.callId);
    span.setAttribute(OPERATION_OUTCOME, report.status);
    span.setAttribute(OPERATION_ATTEMPTS, report.attemptCount);
    const { idempotency_status: status } = report.metadata;
    if (typeof status === 'string') span.setAttribute(IDEMPOTENCY_STATUS, status);
    if (report.succeeded && report.lastAttempt?.fallback === true) span.setAttribute(FALLBACK_USED, true);
    // A caller who goes away is no failure, and neither is an error that a retry made good.
    if (report.status === 'failed' || report.status === 'timed_out')
      setFailure(span, report.lastError, this.messages);
  }
}
