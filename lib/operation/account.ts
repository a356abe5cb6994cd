import { ExecutionAttempt } from '../report/execution-attempt.js';
import { ExecutionReport } from '../report/execution-report.js';
import type { Reported } from '../report/report-of.js';
import { msToSeconds } from '../time/duration.js';
import { attemptMetadata, reportMetadata } from './attempt-metadata.js';
import { attemptRecord, type AttemptRecord } from './attempt-record.js';
import type { Call } from './call.js';

/** The report of a call, from what it noted. */
export function buildReport(call: Call): ExecutionReport {
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
    metadata: reportMetadata(records.at(-1), call.trouble),
    callId: call.callId,
    attemptsOmitted: omitted,
    primaryAttempts: attempts.length + omitted - (attempts.at(-1)?.fallback === true ? 1 : 0),
    causedBy: call.trouble?.causedBy.map((cause: Reported) => cause.report) ?? [],
  });
}

/** All records of a call that has ended; a primary success is written down only here. */
export function recordsOf(call: Call): readonly AttemptRecord[] {
  const log = call.trouble?.log;
  if (!call.attemptSucceeded) return log?.list() ?? [];
  return log?.listWith(successRecord(call)) ?? [successRecord(call)];
}

export function successRecord(call: Call): AttemptRecord {
  return attemptRecord({
    number: call.attemptNumber,
    fallback: false,
    status: 'succeeded',
    startMs: call.attemptStartMs,
    endMs: call.endMs,
    validation: call.validation,
  });
}

/** When the call began on the wall clock: read once, from how long ago it was, so that a call pays for no second clock. */
export function wallStart(call: Call): number {
  return (call.startWallMs ??= call.clock.wallMs() - (call.clock.monotonicMs() - call.startMs));
}

function attemptOf(record: AttemptRecord, startWallMs: number): ExecutionAttempt {
  return new ExecutionAttempt({
    attemptNumber: record.number,
    status: record.status,
    startedAt: new Date(startWallMs),
    durationSeconds: msToSeconds(record.endMs - record.startMs),
    error: record.error,
    metadata: attemptMetadata(record),
    fallback: record.fallback,
    waitedSeconds: msToSeconds(record.waitedMs),
  });
}
