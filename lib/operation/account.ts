import { ExecutionAttempt } from '../report/execution-attempt.js';
import { ExecutionError } from '../report/execution-error.js';
import { ExecutionReport } from '../report/execution-report.js';
import type { Reported } from '../report/report-of.js';
import { msToSeconds } from '../time/duration.js';
import { attemptMetadata, guardFacts, reportMetadata } from './attempt-metadata.js';
import { attemptNote, attemptRecord, type AttemptRecord } from './attempt-record.js';
import type { Guard } from './guard.js';
import type { Plan } from './plan.js';
import type { ExecutionStatus } from '../report/execution-report.js';
import type { ValidationResult } from '../policies/validation/validation-result.js';
import type { Trouble } from './trouble.js';

/** What a report is made of: a call that has ended, or what is kept of one. */
export interface Accounted {
  readonly plan: Plan;
  readonly status: ExecutionStatus | undefined;
  readonly startMs: number;
  readonly endMs: number;
  startWallMs: number | undefined;
  readonly attemptNumber: number;
  readonly attemptStartMs: number;
  readonly attemptSucceeded: boolean;
  readonly validation: ValidationResult | undefined;
  readonly trouble: Trouble | undefined;
  readonly guard: Guard | undefined;
  readonly callId: string;
}

/** The report of a call, from what it noted. */
export function buildReport(call: Accounted): ExecutionReport {
  const records = recordsOf(call);
  const startWallMs = wallStart(call);
  // Attempts are numbered without gaps, so the number of the last one is how many there were.
  const omitted = (records.at(-1)?.number ?? 0) - records.length;
  const attempts = records.map((record) => attemptOf(record, startWallMs + record.startMs - call.startMs));
  return new ExecutionReport({
    operationName: call.plan.name,
    status: call.status ?? 'failed',
    startedAt: new Date(startWallMs),
    durationSeconds: msToSeconds(call.endMs - call.startMs),
    attempts,
    metadata: reportMetadata(records.at(-1), call.trouble, guardFacts(call.guard)),
    callId: call.callId,
    attemptsOmitted: omitted,
    primaryAttempts: attempts.length + omitted - (attempts.at(-1)?.fallback === true ? 1 : 0),
    causedBy: call.trouble?.causedBy?.map((cause: Reported) => cause.report) ?? [],
  });
}

/** All records of a call that has ended; a primary success is written down only here. */
export function recordsOf(call: Accounted): readonly AttemptRecord[] {
  const log = call.trouble?.log;
  if (!call.attemptSucceeded) return log?.list() ?? [];
  return log?.listWith(successRecord(call)) ?? [successRecord(call)];
}

export function successRecord(call: Accounted): AttemptRecord {
  return attemptRecord({
    number: call.attemptNumber,
    fallback: false,
    status: 'succeeded',
    startMs: call.attemptStartMs,
    endMs: call.endMs,
    validation: call.validation,
    guard: call.guard && attemptNote(call.guard),
    stallMs: call.trouble?.stallMs ?? 0,
  });
}

/** When the call began on the wall clock: read once, from how long ago it was, so that a call pays for no second clock. */
export function wallStart(call: Accounted): number {
  const { clock } = call.plan.host;
  return (call.startWallMs ??= clock.wallMs() - (clock.monotonicMs() - call.startMs));
}

function attemptOf(record: AttemptRecord, startWallMs: number): ExecutionAttempt {
  return new ExecutionAttempt({
    attemptNumber: record.number,
    status: record.status,
    startedAt: new Date(startWallMs),
    durationSeconds: msToSeconds(record.endMs - record.startMs),
    error: record.error && new ExecutionError(record.error),
    metadata: attemptMetadata(record),
    fallback: record.fallback,
    waitedSeconds: msToSeconds(record.waitedMs),
  });
}
