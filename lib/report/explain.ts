import type { ExecutionAttempt } from './execution-attempt.js';
import { shortened, type ExecutionError } from './execution-error.js';
import type { ExecutionReport } from './execution-report.js';

const OUTCOME = {
  succeeded: 'succeeded',
  failed: 'failed',
  timed_out: 'timed out',
  cancelled: 'was cancelled',
} as const;

/** The story of a call, one line per attempt. */
export function explain(report: ExecutionReport): string {
  const lines = [headline(report)];
  let number = 0;
  for (const attempt of report.attempts) {
    if (attempt.attemptNumber > number + 1)
      lines.push(`… ${attempt.attemptNumber - number - 1} attempts left out`);
    lines.push(attemptLine(attempt));
    number = attempt.attemptNumber;
  }
  if (report.metadata.outcome_unknown === true)
    lines.push('whether the work was done is not known: the last try was given up while it ran');
  if (report.metadata.shutting_down === true) lines.push('the application was stopping: no further try');
  if (report.metadata.deadline_exhausted === true) lines.push('the deadline left no room for another try');
  for (const cause of report.causedBy)
    lines.push(
      ...explain(cause)
        .split('\n')
        .map((line) => `  ${line}`),
    );
  return lines.join('\n');
}

function headline(report: ExecutionReport): string {
  const attempts = report.attemptCount === 1 ? '1 attempt' : `${report.attemptCount} attempts`;
  return `${report.operationName} ${OUTCOME[report.status]} after ${seconds(report.durationSeconds)}, ${attempts}`;
}

function attemptLine(attempt: ExecutionAttempt): string {
  const { metadata, error } = attempt;
  const who = attempt.fallback ? `#${attempt.attemptNumber} fallback` : `#${attempt.attemptNumber}`;
  let line = `${who} ${OUTCOME[attempt.status]} after ${seconds(attempt.durationSeconds)}`;
  if (metadata.circuit_breaker_open === true)
    line = `${who} refused: ${error?.message ?? 'the circuit breaker was open'}`;
  else if (error !== null) line += `: ${error.type}${remark(attempt, error)}`;
  if (metadata.fallback_candidate_name !== undefined) line += ` by ${metadata.fallback_candidate_name}`;
  line += request(attempt);
  if (attempt.localStall > 0)
    line += `; our own event loop was blocked for at least ${seconds(attempt.localStall)}`;
  if (attempt.waitedSeconds > 0) {
    line += `; waited ${seconds(attempt.waitedSeconds)} (${metadata.rate_limit_delay_source ?? 'backoff'})`;
  }
  return line;
}

/** What a provider asked for, also where it was not waited for. */
function request({ metadata }: ExecutionAttempt): string {
  const asked = metadata.rate_limit_retry_after_seconds;
  const tooLong = metadata.rate_limit_wait_exceeded === true;
  if (typeof asked === 'number')
    return `; the provider asked for ${seconds(asked)}${tooLong ? ', which is too long to wait' : ''}`;
  return tooLong ? '; the back-off is too long to wait after a rate limit' : '';
}

/** What the error says, as far as it is short: a story needs the gist, the report has the whole text. */
function remark({ metadata }: ExecutionAttempt, { type, message }: ExecutionError): string {
  const text = shortened(metadata.validation_reason ?? (message === type ? '' : message));
  return text === '' ? '' : ` (${text})`;
}

/** Two significant digits below a second, two decimals above: enough to compare, short enough to read. */
export function seconds(value: number): string {
  if (value >= 1) return `${Number(value.toFixed(2))} s`;
  return value >= 0.001 ? `${Number(value.toPrecision(2))} s` : value > 0 ? '<0.001 s' : '0 s';
}
