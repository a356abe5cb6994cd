import type { ExecutionReport } from '../../lib/index.js';
import type { ExecutionSummaryJson } from './state-json.js';

/** A call in a few words, so that a hundred of them are no burden. */
export function summaryOf(report: ExecutionReport): ExecutionSummaryJson {
  return {
    call_id: report.callId,
    operation_name: report.operationName,
    status: report.status,
    started_at: report.startedAt.toISOString(),
    duration_seconds: report.durationSeconds,
    attempt_count: report.attemptCount,
    retry_count: report.retryCount,
    fallback_used: report.lastAttempt?.fallback ?? false,
    circuit_breaker_open: report.attempts.some(({ metadata }) => metadata.circuit_breaker_open === true),
    error_type: errorTypeOf(report),
  };
}

/** When a call ended, on the wall clock. */
export function endOf({ startedAt, durationSeconds }: ExecutionReport): string {
  return new Date(startedAt.getTime() + durationSeconds * 1_000).toISOString();
}

/** Whether a call did anything but succeed at once. */
export function isNotable({ failed, attemptCount }: ExecutionReport): boolean {
  return failed || attemptCount > 1;
}

export function errorTypeOf(report: ExecutionReport): string | null {
  return report.succeeded ? null : (report.lastError?.type ?? null);
}
