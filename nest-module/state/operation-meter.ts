import type { ExecutionReport } from '../../lib/index.js';
import { LastMinute } from './last-minute.js';
import { Latest } from './latest.js';
import type {
  DurationsJson,
  LastFailureJson,
  LastMinuteJson,
  OperationCountsJson,
  OperationJson,
} from './state-json.js';
import { endOf, errorTypeOf } from './summary.js';

const DURATIONS = 100;

/** Counts what comes of the calls of one operation, in the same memory however many there are. */
export class OperationMeter {
  private readonly counts: { -readonly [K in keyof OperationCountsJson]: number } = {
    calls: 0,
    succeeded: 0,
    failed: 0,
    timed_out: 0,
    cancelled: 0,
    attempts: 0,
    retries: 0,
    refused: 0,
    fallbacks_used: 0,
    not_admitted: 0,
    shield_gave_up: 0,
    shield_recovered: 0,
    joined: 0,
    replayed: 0,
  };
  private readonly minute = new LastMinute();
  private readonly durations = new Latest<number>(DURATIONS);
  private lastFailure: LastFailureJson | null = null;

  note(report: ExecutionReport, nowMs: number): void {
    const { counts } = this;
    counts.calls += 1;
    counts[report.status] += 1;
    const { idempotency_status: role } = report.metadata;
    const executed = role !== 'joined' && role !== 'replayed';
    // What somebody else did has been counted where that was done.
    if (executed) this.noteExecution(report);
    else counts[role] += 1;
    if (report.status === 'cancelled') return;
    this.minute.note(nowMs, report.failed);
    if (executed) this.durations.add(report.durationSeconds);
    if (report.succeeded) return;
    const { callId: call_id, status } = report;
    this.lastFailure = { call_id, at: endOf(report), status, error_type: errorTypeOf(report) };
  }

  private noteExecution(report: ExecutionReport): void {
    const { counts } = this;
    counts.attempts += report.attemptCount;
    counts.retries += report.retryCount;
    for (const { metadata } of report.attempts) {
      if (metadata.circuit_breaker_open === true) counts.refused += 1;
      if (metadata.admission_refused === true) counts.not_admitted += 1;
    }
    if (report.metadata.shield_gave_up !== undefined) counts.shield_gave_up += 1;
    if (report.metadata.shield_recovered_by !== undefined) counts.shield_recovered += 1;
    if (report.succeeded && report.lastAttempt?.fallback === true) counts.fallbacks_used += 1;
  }

  /** `seconds`: how long it has been counting. */
  read(nowMs: number, seconds: number): Omit<OperationJson, 'operation_name' | 'composition' | 'options'> {
    return {
      counts: { ...this.counts },
      last_minute: this.readMinute(nowMs, seconds),
      durations: this.readDurations(),
      last_failure: this.lastFailure,
    };
  }

  private readMinute(nowMs: number, seconds: number): LastMinuteJson {
    const { calls, failed } = this.minute.sum(nowMs);
    const over = Math.min(60, Math.max(1, seconds));
    return {
      calls,
      failed,
      calls_per_second: calls / over,
      failure_rate: calls === 0 ? null : failed / calls,
    };
  }

  private readDurations(): DurationsJson {
    const sorted = [...this.durations.list()].sort((one, other) => one - other);
    const rank = (share: number): number | null => sorted[Math.ceil(share * sorted.length) - 1] ?? null;
    return { calls: sorted.length, p50_seconds: rank(0.5), p95_seconds: rank(0.95), p99_seconds: rank(0.99) };
  }
}
