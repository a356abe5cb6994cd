import type { AttemptMetadata, ReportMetadata } from '../report/metadata.js';
import type {
  ConcurrencyLimitRejectedPayload,
  ConcurrencyLimitWaitedPayload,
  ShieldBudgetExhaustedPayload,
  ShieldGaveUpPayload,
  ShieldMovePayload,
  ShieldRecoveredPayload,
} from './guard-event-types.js';

/** Which policies a call runs under. */
export interface OperationStartedPayload {
  readonly retry_enabled: boolean;
  readonly timeout_enabled: boolean;
  readonly fallback_enabled: boolean;
  readonly circuit_breaker_enabled: boolean;
  readonly validation_enabled: boolean;
  readonly rate_limit_enabled: boolean;
}

export interface AttemptStartedPayload {
  readonly attempt_number: number;
  readonly max_attempts: number;
}

export interface AttemptSucceededPayload extends AttemptMetadata {
  readonly attempt_number: number;
  readonly duration_seconds: number;
}

export interface AttemptFailedPayload extends AttemptMetadata {
  readonly attempt_number: number;
  readonly duration_seconds: number;
  readonly error_type: string;
  readonly retryable: boolean;
}

export interface ValidationSucceededPayload {
  readonly attempt_number: number;
  readonly validator_name: string;
  readonly fallback_used?: true;
}

export interface ValidationFailedPayload extends ValidationSucceededPayload {
  readonly reason: string;
}

export interface CircuitBreakerRejectedPayload {
  readonly attempt_number: number;
  readonly breaker_name: string;
  readonly state: string;
  /** What had opened the breaker, or that all probes are taken. */
  readonly reason: string;
  /** `null` when nobody knows when the next call may pass. */
  readonly retry_after_seconds: number | null;
}

/** A breaker changed its state, or an operator took hold of it or let go of it. */
export interface CircuitBreakerTransitionPayload {
  readonly breaker_name: string;
  readonly from_state: string;
  readonly to_state: string;
  readonly failure_count: number;
  /** Present when it opened: the rule that did it, the budget, a probe that failed, or an operator. */
  readonly opened_by?: string | null;
  /** Present when an operator did it: whether the breaker is held there from now on. */
  readonly forced?: boolean;
  /** Present when an operator did it: why, or `null`. */
  readonly reason?: string | null;
}

/** The processes that share circuit breakers can be reached, or no longer. */
export interface CircuitBreakerSharingPayload {
  /** `false`: each breaker goes by itself. */
  readonly shared: boolean;
  readonly breaker_count: number;
}

/** A provider said that a rate limit was met. */
export interface RateLimitDetectedPayload {
  readonly attempt_number: number;
  readonly error_type: string;
  /** What it asked to wait; `null` without a hint. */
  readonly retry_after_seconds: number | null;
  readonly max_wait_seconds: number;
  readonly max_wait_exceeded: boolean;
}

/** The wait after a rate limit would have been too long, so it is not begun. */
export interface RateLimitWaitExceededPayload {
  readonly attempt_number: number;
  readonly retry_after_seconds: number | null;
  /** The wait that was refused. */
  readonly delay_seconds: number | null;
  readonly max_wait_seconds: number;
}

export interface RetryScheduledPayload {
  readonly attempt_number: number;
  readonly next_attempt_number: number;
  readonly delay_seconds: number;
  readonly delay_source: 'provider' | 'backoff';
  readonly rate_limited: boolean;
  readonly retry_after_seconds: number | null;
}

export interface FallbackStartedPayload {
  readonly attempt_number: number;
  readonly after_primary_attempts: number;
}

export interface FallbackSucceededPayload extends AttemptMetadata {
  readonly attempt_number: number;
  readonly duration_seconds: number;
}

export interface FallbackFailedPayload extends FallbackSucceededPayload {
  readonly error_type: string;
}

export interface OperationSucceededPayload extends ReportMetadata {
  readonly duration_seconds: number;
  readonly attempt_count: number;
  readonly retry_count: number;
}

export interface OperationFailedPayload extends OperationSucceededPayload {
  readonly error_type: string;
}

/** The store of idempotency keys failed. */
export interface IdempotencyStoreFailedPayload {
  /** What it was asked for: the key, to keep the outcome, or to free the key. */
  readonly step: 'claim' | 'complete' | 'release';
  readonly error_type: string;
  /** Whether the call went on all the same. */
  readonly continued: boolean;
}

/** The outcome of a key could not be kept for later calls. */
export interface IdempotencyNotKeptPayload {
  readonly reason: 'lost' | 'too_large' | 'not_encodable';
}

/** The payload of each event type, under its wire name. A name or a key is never renamed or removed. */
export interface EventPayloads {
  'operation.started': OperationStartedPayload;
  'attempt.started': AttemptStartedPayload;
  'attempt.succeeded': AttemptSucceededPayload;
  'attempt.failed': AttemptFailedPayload;
  'validation.succeeded': ValidationSucceededPayload;
  'validation.failed': ValidationFailedPayload;
  'circuit_breaker.rejected': CircuitBreakerRejectedPayload;
  'circuit_breaker.opened': CircuitBreakerTransitionPayload;
  'circuit_breaker.half_opened': CircuitBreakerTransitionPayload;
  'circuit_breaker.closed': CircuitBreakerTransitionPayload;
  'circuit_breaker.sharing_changed': CircuitBreakerSharingPayload;
  'rate_limit.detected': RateLimitDetectedPayload;
  'rate_limit.wait_exceeded': RateLimitWaitExceededPayload;
  'retry.scheduled': RetryScheduledPayload;
  'fallback.started': FallbackStartedPayload;
  'fallback.succeeded': FallbackSucceededPayload;
  'fallback.failed': FallbackFailedPayload;
  'idempotency.store_failed': IdempotencyStoreFailedPayload;
  'idempotency.not_kept': IdempotencyNotKeptPayload;
  'concurrency_limit.waited': ConcurrencyLimitWaitedPayload;
  'concurrency_limit.rejected': ConcurrencyLimitRejectedPayload;
  'shield.engaged': ShieldMovePayload;
  'shield.disengaged': ShieldMovePayload;
  'shield.rate_changed': ShieldMovePayload;
  'shield.budget_exhausted': ShieldBudgetExhaustedPayload;
  'shield.gave_up': ShieldGaveUpPayload;
  'shield.recovered': ShieldRecoveredPayload;
  'operation.succeeded': OperationSucceededPayload;
  'operation.failed': OperationFailedPayload;
}

export type EventType = keyof EventPayloads;
