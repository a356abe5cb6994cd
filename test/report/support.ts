import {
  ExecutionAttempt,
  ExecutionError,
  ExecutionReport,
  type ExecutionAttemptFields,
  type ExecutionReportFields,
} from '../../lib/index.js';

export const startedAt = new Date('2026-01-01T00:00:00.250Z');

export function attempt(fields: Partial<ExecutionAttemptFields> = {}): ExecutionAttempt {
  return new ExecutionAttempt({
    attemptNumber: 1,
    status: 'succeeded',
    startedAt,
    durationSeconds: 0.5,
    ...fields,
  });
}

export function failedAttempt(
  attemptNumber = 1,
  fields: Partial<ExecutionAttemptFields> = {},
): ExecutionAttempt {
  const error = new ExecutionError({ type: 'HttpError', message: `no. ${attemptNumber}`, retryable: true });
  return attempt({ attemptNumber, status: 'failed', error, ...fields });
}

export function report(fields: Partial<ExecutionReportFields> = {}): ExecutionReport {
  return new ExecutionReport({
    operationName: 'charge',
    status: 'succeeded',
    startedAt,
    durationSeconds: 1.5,
    attempts: [attempt()],
    ...fields,
  });
}
