import { OperationResult } from '../operation/operation-result.js';
import { ExecutionAttempt } from '../report/execution-attempt.js';
import { ExecutionReport, type ExecutionReportFields } from '../report/execution-report.js';

/**
 * The result of a call that never was: a first-try success with this value, for mocks of operations.
 * `report` replaces what the report says of it.
 */
export function fakeResult<T>(value: T, report: Partial<ExecutionReportFields> = {}): OperationResult<T> {
  const startedAt = report.startedAt ?? new Date('2026-01-01T00:00:00Z');
  const attempt = new ExecutionAttempt({
    attemptNumber: 1,
    status: 'succeeded',
    startedAt,
    durationSeconds: 0,
  });
  const fields: ExecutionReportFields = {
    operationName: 'fake',
    status: 'succeeded',
    startedAt,
    durationSeconds: 0,
    attempts: [attempt],
    callId: 'fake',
    ...report,
  };
  return new OperationResult(value, { report: new ExecutionReport(fields) });
}
