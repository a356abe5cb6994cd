/** What stands in metadata and event payloads: JSON scalars only. */
export type Scalar = string | number | boolean | null;

/** A read-only map of facts under their wire names. */
export type Metadata = Readonly<Record<string, Scalar>>;

/** Facts about how a value was checked. `null` where no check ran. */
export interface ValidationMetadata {
  readonly validation_performed: boolean;
  readonly validation_valid: boolean | null;
  readonly validation_validator_name: string | null;
  readonly validation_reason: string | null;
}

/** Facts about the delay chosen after a failed primary attempt. The delay of an ordinary back-off stands here too. */
export interface DelayMetadata {
  readonly rate_limited: boolean;
  readonly rate_limit_retry_after_seconds: number | null;
  readonly rate_limit_delay_seconds: number | null;
  readonly rate_limit_delay_source: 'provider' | 'backoff' | null;
  readonly rate_limit_wait_exceeded: boolean;
}

/** Metadata of an attempt: which keys are present depends on its kind and its outcome. */
export interface AttemptMetadata extends ValidationMetadata, Partial<DelayMetadata> {
  readonly fallback_used: boolean;
  readonly fallback_failed?: boolean;
  readonly fallback_candidate_name?: string;
  /** Position in the chain, from 0. */
  readonly fallback_candidate_index?: number;
  readonly fallback_failure_count?: number;
  readonly circuit_breaker_open: boolean;
  /** Present when a limit came due while our own event loop was blocked: for how many seconds it certainly was. */
  readonly local_stall?: number;
  /** Present with a shield: how long the attempt might take. */
  readonly timeout_seconds?: number;
  /** Present with a shield or a concurrency limit: how long the attempt waited to be admitted. */
  readonly admission_waited_seconds?: number;
  /** Present when a shield or a concurrency limit did not admit it, so that nothing was called. */
  readonly admission_refused?: true;
  /** Present when the breaker refused: what had opened it, or that all probes are taken. */
  readonly circuit_breaker_reason?: string;
}

/** What an idempotency key did for one call. */
export interface IdempotencyMetadata {
  readonly idempotency_enabled: true;
  /** A digest of the key, or the key where that was asked for; `null` where none was found. */
  readonly idempotency_key: string | null;
  /** `null` where the call neither executed nor waited for somebody who did. */
  readonly idempotency_status: 'executed' | 'joined' | 'replayed' | null;
  /** Joined or replayed. */
  readonly idempotency_cache_hit: boolean;
  /** Present when the result could not be kept for later calls. */
  readonly idempotency_kept?: false;
  /** Present when it ran although the store could not be asked. */
  readonly idempotency_protected?: false;
}

/** What a shield or a concurrency limit did for one call. */
export interface GuardMetadata {
  readonly shield_name: string;
  readonly shield_profile: string;
  /** How long all attempts waited to be admitted. */
  readonly admission_wait_seconds: number;
  /** Present when the shield made no further try. */
  readonly shield_gave_up:
    'attempts_exhausted' | 'budget_exhausted' | 'non_retryable' | 'not_admitted' | 'deadline_exhausted';
  /** Present when the value came from the shield's cache or fallback. */
  readonly shield_recovered_by: 'cache' | 'fallback';
}

/** Metadata of a report: that of its last attempt, and the facts of the whole call. */
export interface ReportMetadata
  extends Partial<AttemptMetadata>, Partial<IdempotencyMetadata>, Partial<GuardMetadata> {
  readonly rate_limit_encountered: boolean;
  readonly rate_limit_wait_seconds: number;
  readonly rate_limit_wait_exceeded: boolean;
  /** Present when the deadline left no room for another try. */
  readonly deadline_exhausted?: true;
  /** Present when the last primary try met a limit of ours after it had begun: the work may have been done. */
  readonly outcome_unknown?: true;
  /** Present when the application was stopping, so that nothing was tried again. */
  readonly shutting_down?: true;
  /** Present when something that is no attempt ended the call: an event sink, a selector, a misuse. */
  readonly failed_outside_attempt?: true;
}

/** A frozen copy, so that nobody can rewrite what happened. */
export function frozenCopy<M extends object>(metadata: M): Readonly<M> {
  return Object.freeze({ ...metadata });
}
