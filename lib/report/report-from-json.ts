import { ExecutionAttempt } from './execution-attempt.js';
import { ExecutionError } from './execution-error.js';
import { ExecutionReport, type ExecutionReportJson } from './execution-report.js';

/**
 * The report that `toJSON()` gave this. Keys that this version does not know are left out.
 * @throws {ConfigurationError} for data that no report gave.
 */
export function reportFromJson(json: ExecutionReportJson): ExecutionReport {
  const attempts = json.attempts.map(attemptFrom);
  return new ExecutionReport({
    operationName: json.operation_name,
    status: json.status,
    startedAt: new Date(json.started_at),
    durationSeconds: json.duration_seconds,
    attempts,
    metadata: json.metadata,
    callId: json.call_id,
    attemptsOmitted: json.attempts_omitted,
    primaryAttempts: primaryCount(json, attempts),
    causedBy: json.caused_by.map(reportFromJson),
  });
}

/** The wire form counts retries: none is one try, or not even that. */
function primaryCount({ retry_count }: ExecutionReportJson, attempts: readonly ExecutionAttempt[]): number {
  return retry_count > 0 ? retry_count + 1 : attempts.filter(({ fallback }) => !fallback).length;
}

function attemptFrom(json: ExecutionReportJson['attempts'][number]): ExecutionAttempt {
  return new ExecutionAttempt({
    attemptNumber: json.attempt_number,
    status: json.status,
    startedAt: new Date(json.started_at),
    durationSeconds: json.duration_seconds,
    error: json.error === null ? null : new ExecutionError(json.error),
    metadata: json.metadata,
    fallback: json.fallback,
    waitedSeconds: json.waited_seconds,
  });
}
