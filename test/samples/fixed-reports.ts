import {
  ExecutionAttempt,
  ExecutionError,
  ExecutionReport,
  type ExecutionReportFields,
} from '../../lib/index.js';

/** How one attempt of a report ended. */
export type Ending = 'good' | 'bad' | 'late' | 'refused' | 'fallback' | 'bad fallback';

const startedAt = new Date('2026-01-01T00:00:00Z');

/** A report whose attempts ended like this, the call as the last of them. */
export function fixedReport(
  endings: readonly Ending[],
  fields: Partial<ExecutionReportFields> = {},
): ExecutionReport {
  const attempts = endings.map(attempt);
  const status = attempts.at(-1)?.status ?? 'failed';
  return new ExecutionReport({
    operationName: 'Shop.buy',
    status,
    startedAt,
    durationSeconds: 0.1,
    attempts,
    ...fields,
  });
}

function attempt(ending: Ending, index: number): ExecutionAttempt {
  const isGood = ending === 'good' || ending === 'fallback';
  return new ExecutionAttempt({
    attemptNumber: index + 1,
    status: isGood ? 'succeeded' : ending === 'late' ? 'timed_out' : 'failed',
    startedAt,
    durationSeconds: 0.05,
    error: isGood ? null : new ExecutionError({ type: 'Error', message: ending }),
    fallback: ending.endsWith('fallback'),
    metadata: { circuit_breaker_open: ending === 'refused' },
  });
}
