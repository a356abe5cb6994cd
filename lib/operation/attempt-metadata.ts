import { msToSeconds } from '../time/duration.js';
import type {
  AttemptMetadata,
  DelayMetadata,
  ReportMetadata,
  ValidationMetadata,
} from '../report/metadata.js';
import type { AttemptRecord, GuardNote } from './attempt-record.js';
import type { Guard } from './guard.js';

/** Metadata of one attempt, under the keys that every edition of this library uses. */
export function attemptMetadata(record: AttemptRecord): AttemptMetadata {
  const failed = record.status !== 'succeeded';
  return {
    fallback_used: record.fallback,
    ...(record.fallback && fallbackMetadata(record, failed)),
    circuit_breaker_open: record.refused,
    ...(record.refusedFor !== undefined && { circuit_breaker_reason: record.refusedFor }),
    ...validationMetadata(record),
    ...(record.stallMs > 0 && { local_stall: msToSeconds(record.stallMs) }),
    ...(record.guard !== undefined && !record.fallback && guardMetadata(record)),
    ...(failed && !record.fallback && delayMetadata(record)),
  };
}

function guardMetadata(record: AttemptRecord): Partial<AttemptMetadata> {
  const { timeoutMs, waitedMs, refused } = record.guard as GuardNote;
  return {
    ...(timeoutMs !== undefined && !record.refused && { timeout_seconds: msToSeconds(timeoutMs) }),
    admission_waited_seconds: msToSeconds(waitedMs),
    ...(refused && { admission_refused: true }),
  };
}

function fallbackMetadata(record: AttemptRecord, failed: boolean): Partial<AttemptMetadata> {
  const count = { fallback_failure_count: record.failedCandidates };
  if (record.candidate === undefined) return { fallback_failed: failed, ...count };
  const { name, index } = record.candidate;
  return {
    fallback_failed: failed,
    fallback_candidate_name: name,
    fallback_candidate_index: index,
    ...count,
  };
}

function validationMetadata({ validation }: AttemptRecord): ValidationMetadata {
  return {
    validation_performed: validation !== undefined,
    validation_valid: validation?.valid ?? null,
    validation_validator_name: validation?.validatorName ?? null,
    validation_reason: validation?.reason ?? null,
  };
}

function delayMetadata(record: AttemptRecord): DelayMetadata {
  const { delayMs, rateLimit } = record;
  return {
    rate_limited: rateLimit !== undefined,
    rate_limit_retry_after_seconds: rateLimit?.hintSeconds ?? null,
    rate_limit_delay_seconds: delayMs === undefined ? null : msToSeconds(delayMs),
    rate_limit_delay_source: delayMs === undefined ? null : delaySource(record),
    rate_limit_wait_exceeded: rateLimit?.exceeded === true,
  };
}

/** Who chose the wait after an attempt. */
export function delaySource({ rateLimit }: AttemptRecord): 'provider' | 'backoff' {
  return typeof rateLimit?.hintSeconds === 'number' ? 'provider' : 'backoff';
}

/** What the end of a call adds to the metadata of its last attempt. */
export interface CallFacts {
  readonly rateLimitEncountered: boolean;
  readonly rateLimitExceeded: boolean;
  readonly rateLimitWaitMs: number;
  readonly deadlineExhausted: boolean;
  readonly outcomeUnknown: boolean;
  readonly shuttingDown: boolean;
  readonly failedOutsideAttempt: boolean;
}

/** What a shield and a concurrency limit meant for a call, as it is now. */
export function guardFacts(guard: Guard | undefined): Partial<ReportMetadata> | undefined {
  if (guard === undefined) return undefined;
  const { identity, waitedMs, gaveUp, recoveredBy } = guard;
  return {
    ...(identity !== undefined && { shield_name: identity.name, shield_profile: identity.profile }),
    admission_wait_seconds: msToSeconds(waitedMs),
    ...(gaveUp !== undefined && { shield_gave_up: gaveUp }),
    ...(recoveredBy !== undefined && { shield_recovered_by: recoveredBy as 'cache' | 'fallback' }),
  };
}

export function reportMetadata(
  last: AttemptRecord | undefined,
  facts: CallFacts | undefined,
  guard: Partial<ReportMetadata> | undefined,
): ReportMetadata {
  return {
    ...(last !== undefined && attemptMetadata(last)),
    rate_limit_encountered: facts?.rateLimitEncountered === true,
    rate_limit_wait_seconds: msToSeconds(facts?.rateLimitWaitMs ?? 0),
    rate_limit_wait_exceeded: facts?.rateLimitExceeded === true,
    ...guard,
    ...(facts?.deadlineExhausted === true && { deadline_exhausted: true }),
    ...(facts?.outcomeUnknown === true && !isPrimarySuccess(last) && { outcome_unknown: true }),
    ...(facts?.shuttingDown === true && { shutting_down: true }),
    ...(facts?.failedOutsideAttempt === true && { failed_outside_attempt: true }),
  };
}

function isPrimarySuccess(record: AttemptRecord | undefined): boolean {
  return record?.status === 'succeeded' && !record.fallback;
}
