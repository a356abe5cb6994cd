import { checkCount, checkNumber, refuse } from '../errors/check.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import type { ExecutionError } from './execution-error.js';
import { frozenCopy, type AttemptMetadata, type Metadata } from './metadata.js';

/** How one try ended. `cancelled`: the caller went away while it ran. */
export type AttemptStatus = 'succeeded' | 'failed' | 'timed_out' | 'cancelled';

/** The data of an {@link ExecutionAttempt}. */
export interface ExecutionAttemptFields {
  readonly attemptNumber: number;
  readonly status: AttemptStatus;
  readonly startedAt: Date;
  readonly durationSeconds: number;
  readonly error?: ExecutionError | null;
  readonly metadata?: AttemptMetadata | Metadata;
  readonly fallback?: boolean;
  readonly waitedSeconds?: number;
}

/** The record of one try: a primary attempt, or the one fallback attempt of a call. Immutable. */
export class ExecutionAttempt {
  /** Position in the call, from 1. */
  readonly attemptNumber: number;
  readonly status: AttemptStatus;
  readonly durationSeconds: number;
  readonly error: ExecutionError | null;
  readonly metadata: Readonly<Partial<AttemptMetadata>>;
  /** Whether this is the run of the fallback chain. */
  readonly fallback: boolean;
  /** How long the call waited after this attempt, before the next one. */
  readonly waitedSeconds: number;
  private readonly startedMs: number;

  /** @throws {ConfigurationError} for a number below 1, a negative duration, or an error on a succeeded attempt. */
  constructor(fields: ExecutionAttemptFields) {
    this.attemptNumber = checkCount('attemptNumber', fields.attemptNumber, 1);
    this.status = fields.status;
    this.startedMs = checkMoment('startedAt', fields.startedAt);
    this.durationSeconds = checkNumber('durationSeconds', fields.durationSeconds, 0);
    this.error = fields.error ?? null;
    this.metadata = frozenCopy(fields.metadata ?? {});
    this.fallback = fields.fallback ?? false;
    this.waitedSeconds = checkNumber('waitedSeconds', fields.waitedSeconds ?? 0, 0);
    if (this.succeeded && this.error !== null) {
      const problem = 'is given for a succeeded attempt';
      throw new ConfigurationError({
        option: 'error',
        problem,
        cure: 'leave it out, or give another status',
      });
    }
    Object.freeze(this);
  }

  /** When it began, on the wall clock. A new object each time, as dates can be changed. */
  get startedAt(): Date {
    return new Date(this.startedMs);
  }

  get succeeded(): boolean {
    return this.status === 'succeeded';
  }

  /** The opposite of `succeeded`: timed-out and cancelled attempts count as failed. */
  get failed(): boolean {
    return !this.succeeded;
  }

  /** For how many seconds our own event loop was certainly blocked when a limit of ours came due; 0 where it was not. */
  get localStall(): number {
    const { local_stall } = this.metadata;
    return typeof local_stall === 'number' ? local_stall : 0;
  }

  toJSON() {
    return {
      attempt_number: this.attemptNumber,
      status: this.status,
      started_at: this.startedAt.toISOString(),
      duration_seconds: this.durationSeconds,
      error: this.error?.toJSON() ?? null,
      metadata: this.metadata,
      fallback: this.fallback,
      waited_seconds: this.waitedSeconds,
    };
  }
}

export function checkMoment(option: string, value: unknown): number {
  const ms = value instanceof Date ? value.getTime() : NaN;
  return Number.isFinite(ms) ? ms : refuse(option, value, 'give a valid Date');
}
