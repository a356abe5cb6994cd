import { checkCount, checkName, checkNumber } from '../errors/check.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { checkMoment, type ExecutionAttempt } from './execution-attempt.js';
import type { ExecutionError } from './execution-error.js';
import { explain } from './explain.js';
import { frozenCopy, type Metadata, type ReportMetadata } from './metadata.js';

/** How a call ended. `timed_out`: its last primary attempt met a limit of ours, and no fallback was tried. */
export type ExecutionStatus = 'succeeded' | 'failed' | 'timed_out' | 'cancelled';

/** The data of an {@link ExecutionReport}. */
export interface ExecutionReportFields {
  readonly operationName: string;
  readonly status: ExecutionStatus;
  readonly startedAt: Date;
  readonly durationSeconds: number;
  readonly attempts: readonly ExecutionAttempt[];
  readonly metadata?: ReportMetadata | Metadata;
  readonly callId?: string;
  readonly attemptsOmitted?: number;
  readonly primaryAttempts?: number;
  readonly causedBy?: readonly ExecutionReport[];
}

/** The exact account of one call: what was tried, in which order, how long it took, and how it ended. Immutable. */
export class ExecutionReport {
  readonly operationName: string;
  readonly status: ExecutionStatus;
  readonly durationSeconds: number;
  /** In order; of more than 100, the first and the last ones. */
  readonly attempts: readonly ExecutionAttempt[];
  readonly metadata: Readonly<Partial<ReportMetadata>>;
  /** Names this one call in events and logs; empty for a report built by hand without one. */
  readonly callId: string;
  /** How many attempts are not in `attempts`. */
  readonly attemptsOmitted: number;
  /** Reports of other operations whose failure was, or led to, a failure of this one. */
  readonly causedBy: readonly ExecutionReport[];
  private readonly startedMs: number;
  private readonly primaryAttempts: number;

  /** @throws {ConfigurationError} when the fields contradict each other, as a success without a successful attempt. */
  constructor(fields: ExecutionReportFields) {
    this.operationName = checkName('operationName', fields.operationName);
    this.status = fields.status;
    this.startedMs = checkMoment('startedAt', fields.startedAt);
    this.durationSeconds = checkNumber('durationSeconds', fields.durationSeconds, 0);
    this.attempts = Object.freeze([...fields.attempts]);
    this.metadata = frozenCopy(fields.metadata ?? {});
    this.callId = fields.callId ?? '';
    this.attemptsOmitted = checkCount('attemptsOmitted', fields.attemptsOmitted ?? 0, 0);
    this.causedBy = Object.freeze([...(fields.causedBy ?? [])]);
    const primary = fields.primaryAttempts ?? this.attempts.filter((attempt) => !attempt.fallback).length;
    this.primaryAttempts = checkCount('primaryAttempts', primary, 0);
    if (this.metadata.failed_outside_attempt !== true) checkEnding(this.status, this.lastAttempt);
    Object.freeze(this);
  }

  /** When the call began, on the wall clock. */
  get startedAt(): Date {
    return new Date(this.startedMs);
  }

  /** All attempts, the fallback attempt and omitted ones included. */
  get attemptCount(): number {
    return this.attempts.length + this.attemptsOmitted;
  }

  /** Primary attempts after the first. */
  get retryCount(): number {
    return Math.max(0, this.primaryAttempts - 1);
  }

  get retried(): boolean {
    return this.retryCount > 0;
  }

  get lastAttempt(): ExecutionAttempt | undefined {
    return this.attempts.at(-1);
  }

  /** The error of the latest attempt that has one, in a successful call too. */
  get lastError(): ExecutionError | null {
    return this.attempts.findLast((attempt) => attempt.error !== null)?.error ?? null;
  }

  get succeeded(): boolean {
    return this.status === 'succeeded';
  }

  get failed(): boolean {
    return !this.succeeded;
  }

  /**
   * The same account with further facts.
   * @internal
   */
  with(metadata: Partial<ReportMetadata>): ExecutionReport {
    return new ExecutionReport({
      ...this,
      startedAt: this.startedAt,
      primaryAttempts: this.primaryAttempts,
      metadata: { ...this.metadata, ...metadata },
    });
  }

  /** The story of the call for people: a headline, then one short line per attempt. */
  explain(): string {
    return explain(this);
  }

  toJSON(): ExecutionReportJson {
    return {
      operation_name: this.operationName,
      status: this.status,
      started_at: this.startedAt.toISOString(),
      duration_seconds: this.durationSeconds,
      attempt_count: this.attemptCount,
      retry_count: this.retryCount,
      retried: this.retried,
      attempts: this.attempts.map((attempt) => attempt.toJSON()),
      last_error: this.lastError?.toJSON() ?? null,
      metadata: this.metadata,
      call_id: this.callId,
      attempts_omitted: this.attemptsOmitted,
      caused_by: this.causedBy.map((report) => report.toJSON()),
    };
  }
}

/** A report as it goes over the wire. */
export interface ExecutionReportJson {
  readonly operation_name: string;
  readonly status: ExecutionStatus;
  readonly started_at: string;
  readonly duration_seconds: number;
  readonly attempt_count: number;
  readonly retry_count: number;
  readonly retried: boolean;
  readonly attempts: readonly ReturnType<ExecutionAttempt['toJSON']>[];
  readonly last_error: ReturnType<ExecutionError['toJSON']> | null;
  readonly metadata: Readonly<Partial<ReportMetadata>>;
  readonly call_id: string;
  readonly attempts_omitted: number;
  readonly caused_by: readonly ExecutionReportJson[];
}

function checkEnding(status: ExecutionStatus, last: ExecutionAttempt | undefined): void {
  const wrong = (problem: string, cure: string): never => {
    throw new ConfigurationError({ option: 'attempts', problem, cure });
  };
  // A caller may go away before the first try, or after the last one.
  if (status === 'cancelled') return;
  if (last === undefined) wrong('is an empty list', 'give at least one attempt');
  else if (status === 'succeeded' && last.failed)
    wrong('ends in a failure', 'a succeeded report ends in a success');
  else if (status !== 'succeeded' && last.succeeded)
    wrong('ends in a success', `a ${status} report ends in a failure`);
}
