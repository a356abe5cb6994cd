import type { RefusalReason } from '../../lib/index.js';
import type { Failure } from './failures.js';
import type { Plan } from './scenario.js';

export type Json = Readonly<Record<string, unknown>>;

export interface ToldEvent {
  readonly type: string;
  readonly atMs: number;
  readonly payload: Json;
}

/** One time that the callee, or a stand-in, was called. */
export interface Called {
  readonly kind: 'primary' | 'fallback';
  readonly number: number;
  readonly atMs: number;
  readonly remainingMs: number;
  readonly lastError: string;
  /** What its signal aborted with, `quiet` if it did not, `unread` if nobody asked for it. */
  signal: string;
}

export interface Attempt {
  readonly number: number;
  readonly fallback: boolean;
  startMs: number;
  endMs: number;
  waitedMs: number;
  status: 'running' | 'succeeded' | 'failed' | 'timed_out' | 'cancelled';
  failure: Failure | undefined;
  retryable: boolean;
  /** It was being refused by the breaker for that. */
  refusedFor: RefusalReason | undefined;
  validation: Json;
  delay: Json;
  admission: Json;
  chain: Json;
}

export const UNCHECKED: Json = {
  validation_performed: false,
  validation_valid: null,
  validation_validator_name: null,
  validation_reason: null,
};
export const ACCEPTED: Json = {
  validation_performed: true,
  validation_valid: true,
  validation_validator_name: 'validation_policy',
  validation_reason: null,
};
export const VALIDATOR = 'is good';
export const REASON = 'it is not';
export const REJECTED: Json = {
  validation_performed: true,
  validation_valid: false,
  validation_validator_name: VALIDATOR,
  validation_reason: REASON,
};
const NO_DELAY: Json = {
  rate_limited: false,
  rate_limit_retry_after_seconds: null,
  rate_limit_delay_seconds: null,
  rate_limit_delay_source: null,
  rate_limit_wait_exceeded: false,
};

export const seconds = (ms: number): number => ms / 1_000;

/** What one call leaves behind, as lists that only grow. */
export class Account {
  readonly events: ToldEvent[] = [];
  readonly attempts: Attempt[] = [];
  readonly called: Called[] = [];
  status: 'succeeded' | 'failed' | 'timed_out' | 'cancelled' = 'failed';
  readonly facts: Record<string, unknown> = {};
  rateLimited = false;
  rateLimitWaitMs = 0;
  admissionWaitMs = 0;
  startMs = NaN;
  endMs = NaN;

  constructor(readonly plan: Plan) {}

  /** An attempt that is not in the report before something runs in it, or refuses it. */
  prepare(number: number, fallback: boolean): Attempt {
    return {
      number,
      fallback,
      startMs: NaN,
      endMs: NaN,
      waitedMs: 0,
      status: 'running',
      failure: undefined,
      retryable: false,
      refusedFor: undefined,
      validation: UNCHECKED,
      delay: NO_DELAY,
      admission: this.plan.usesLimit && !fallback ? { admission_waited_seconds: 0 } : {},
      chain: fallback ? { fallback_failed: true, fallback_failure_count: 0 } : {},
    };
  }

  open(attempt: Attempt, atMs: number): void {
    attempt.startMs = attempt.endMs = atMs;
    this.attempts.push(attempt);
  }

  /** Something runs in the latest attempt. */
  get isRunning(): boolean {
    return this.attempts.at(-1)?.status === 'running';
  }

  metadataOf(attempt: Attempt): Json {
    return {
      fallback_used: attempt.fallback,
      circuit_breaker_open: attempt.refusedFor !== undefined,
      ...(attempt.refusedFor !== undefined && { circuit_breaker_reason: attempt.refusedFor }),
      ...attempt.validation,
      ...(!attempt.fallback && attempt.status !== 'succeeded' && attempt.delay),
      ...attempt.admission,
      ...attempt.chain,
    };
  }

  /** Of the last try: whether anybody knows what it did. */
  noteOutcome(label: string): void {
    if (label.endsWith('unknown')) this.facts['outcome_unknown'] = true;
    else delete this.facts['outcome_unknown'];
  }

  get retries(): number {
    return Math.max(0, this.attempts.filter(({ fallback }) => !fallback).length - 1);
  }

  get metadata(): Json {
    const last = this.attempts.at(-1);
    return {
      ...(last && this.metadataOf(last)),
      rate_limit_encountered: this.rateLimited,
      rate_limit_wait_seconds: seconds(this.rateLimitWaitMs),
      rate_limit_wait_exceeded: this.attempts.some(({ delay }) => delay['rate_limit_wait_exceeded'] === true),
      ...(this.plan.usesLimit && { admission_wait_seconds: seconds(this.admissionWaitMs) }),
      ...this.facts,
    };
  }

  /** The report as JSON, without the messages of errors and what is random. */
  get report(): Json {
    const error = (attempt: Attempt | undefined) =>
      attempt?.failure === undefined
        ? null
        : { type: attempt.failure.type, retryable: attempt.retryable, module: null };
    return {
      status: this.status,
      started_at_ms: this.startMs,
      duration_seconds: seconds(this.endMs - this.startMs),
      attempt_count: this.attempts.length,
      retry_count: this.retries,
      retried: this.retries > 0,
      attempts: this.attempts.map((attempt) => ({
        attempt_number: attempt.number,
        status: attempt.status,
        started_at_ms: attempt.startMs,
        duration_seconds: seconds(attempt.endMs - attempt.startMs),
        error: error(attempt),
        metadata: this.metadataOf(attempt),
        fallback: attempt.fallback,
        waited_seconds: seconds(attempt.waitedMs),
      })),
      last_error: error(this.attempts.findLast(({ failure }) => failure !== undefined)),
      metadata: this.metadata,
      attempts_omitted: 0,
      caused_by: [],
    };
  }
}
