import type { ErrorSummary } from '../report/execution-error.js';
import type {
  AttemptFailedPayload,
  AttemptSucceededPayload,
  CircuitBreakerRejectedPayload,
  FallbackFailedPayload,
  OperationFailedPayload,
  OperationStartedPayload,
  OperationSucceededPayload,
  RateLimitDetectedPayload,
  RateLimitWaitExceededPayload,
  RetryScheduledPayload,
} from '../events/event-types.js';
import type { CircuitBreakerOpenError } from '../policies/circuit-breaker/circuit-breaker-open-error.js';
import { msToSeconds } from '../time/duration.js';
import { recordsOf } from './account.js';
import {
  attemptMetadata,
  delaySource,
  guardFacts,
  reportMetadata,
  type CallFacts,
} from './attempt-metadata.js';
import type { AttemptRecord, RateLimitNote } from './attempt-record.js';
import type { Call } from './call.js';
import type { Guard } from './guard.js';
import type { Plan } from './plan.js';
import type { Trouble } from './trouble.js';

export function startedPayload(plan: Plan, guard: Guard | undefined): OperationStartedPayload {
  return {
    retry_enabled: plan.maxAttempts > 1 || plan.retry !== undefined,
    timeout_enabled: plan.timeouts !== undefined || guard?.identity !== undefined,
    fallback_enabled: plan.fallbacks !== undefined || guard?.recovers === true,
    circuit_breaker_enabled: plan.hasBreaker,
    validation_enabled: plan.validation !== undefined,
    rate_limit_enabled: plan.rateLimit !== undefined,
  };
}

/** `attempt.succeeded` and `fallback.succeeded`. */
export function succeededPayload(record: AttemptRecord): AttemptSucceededPayload {
  return { attempt_number: record.number, duration_seconds: durationOf(record), ...attemptMetadata(record) };
}

export function attemptFailedPayload(record: AttemptRecord): AttemptFailedPayload {
  const { type, retryable } = record.error as ErrorSummary;
  const head = { attempt_number: record.number, duration_seconds: durationOf(record) };
  return { ...head, error_type: type, retryable: retryable ?? false, ...attemptMetadata(record) };
}

export function fallbackFailedPayload(record: AttemptRecord): FallbackFailedPayload {
  const { type } = record.error as ErrorSummary;
  return {
    attempt_number: record.number,
    duration_seconds: durationOf(record),
    error_type: type,
    ...attemptMetadata(record),
  };
}

export function rejectedPayload(
  attemptNumber: number,
  refusal: CircuitBreakerOpenError,
): CircuitBreakerRejectedPayload {
  const { breakerName, state, reason, retryAfterSeconds } = refusal;
  return {
    attempt_number: attemptNumber,
    breaker_name: breakerName,
    state,
    reason,
    retry_after_seconds: retryAfterSeconds,
  };
}

export function scheduledPayload(record: AttemptRecord, waitMs: number): RetryScheduledPayload {
  const { number, rateLimit } = record;
  return {
    attempt_number: number,
    next_attempt_number: number + 1,
    delay_seconds: msToSeconds(waitMs),
    delay_source: delaySource(record),
    rate_limited: rateLimit !== undefined,
    retry_after_seconds: rateLimit?.hintSeconds ?? null,
  };
}

export function rateLimitDetectedPayload(
  record: AttemptRecord,
  rateLimit: RateLimitNote,
  maxWaitSeconds: number,
): RateLimitDetectedPayload {
  return {
    attempt_number: record.number,
    error_type: (record.error as ErrorSummary).type,
    retry_after_seconds: rateLimit.hintSeconds,
    max_wait_seconds: maxWaitSeconds,
    max_wait_exceeded: rateLimit.exceeded,
  };
}

export function rateLimitExceededPayload(
  { number }: AttemptRecord,
  { hintSeconds, delayMs }: RateLimitNote,
  maxWaitSeconds: number,
): RateLimitWaitExceededPayload {
  return {
    attempt_number: number,
    retry_after_seconds: hintSeconds,
    delay_seconds: delayMs === undefined ? null : msToSeconds(delayMs),
    max_wait_seconds: maxWaitSeconds,
  };
}

/** Gives the maker of the payload. What later ends the call otherwise, a sink's error, must not show in it. */
export function operationSucceededPayload(call: Call): () => OperationSucceededPayload {
  const facts = factsNow(call.trouble);
  const guard = guardFacts(call.guard);
  return () => {
    const last = recordsOf(call).at(-1) as AttemptRecord;
    const counts = { attempt_count: last.number, retry_count: last.number - (last.fallback ? 2 : 1) };
    return {
      duration_seconds: msToSeconds(call.endMs - call.startMs),
      ...counts,
      ...reportMetadata(last, facts, guard),
    };
  };
}

export function operationFailedPayload(call: Call, errorType: string): () => OperationFailedPayload {
  const common = operationSucceededPayload(call);
  return () => ({ ...common(), error_type: errorType });
}

/** The facts of a call as they are now. Member by member: spreading an object costs a failing call a microsecond. */
function factsNow(trouble: Trouble | undefined): CallFacts | undefined {
  if (trouble === undefined) return undefined;
  return {
    rateLimitEncountered: trouble.rateLimitEncountered,
    rateLimitExceeded: trouble.rateLimitExceeded,
    rateLimitWaitMs: trouble.rateLimitWaitMs,
    deadlineExhausted: trouble.deadlineExhausted,
    outcomeUnknown: trouble.outcomeUnknown,
    shuttingDown: trouble.shuttingDown,
    failedOutsideAttempt: false,
  };
}

function durationOf(record: AttemptRecord): number {
  return msToSeconds(record.endMs - record.startMs);
}
