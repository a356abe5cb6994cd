import type { CircuitBreakerTransition } from '../policies/circuit-breaker/circuit-breaker-state.js';
import { transitionEventType, transitionPayload } from '../policies/circuit-breaker/transition-event.js';
import { ConcurrencyLimitError } from '../policies/concurrency-limit/concurrency-limit-error.js';
import type { ValidationResult } from '../policies/validation/validation-result.js';
import { successRecord } from './account.js';
import type { AttemptRecord, RateLimitNote } from './attempt-record.js';
import type { Call } from './call.js';
import { tellMove } from './shield-telling.js';
import { tell } from './tell.js';
import {
  attemptFailedPayload,
  operationSucceededPayload,
  rateLimitDetectedPayload,
  rateLimitExceededPayload,
  rejectedPayload,
  succeededPayload,
} from './payloads.js';

/** Says that a breaker changed its state because of this call. */
function tellTransition(
  call: Call,
  transition: CircuitBreakerTransition | undefined,
  atMs: number,
): Promise<void> | undefined {
  if (transition === undefined) return undefined;
  return tell(call, transitionEventType(transition.to), atMs, () => transitionPayload(transition));
}

/** Tells one thing after another; a promise only where a sink gave one. */
function inOrder(
  first: Promise<void> | undefined,
  next: () => Promise<void> | undefined,
): Promise<void> | undefined {
  return first === undefined ? next() : first.then(next);
}

export function tellAttemptStarted(call: Call): Promise<void> | undefined {
  const { attemptNumber: attempt_number, attemptStartMs } = call;
  return inOrder(tellTransition(call, call.permit?.transition, attemptStartMs), () =>
    tell(call, 'attempt.started', attemptStartMs, () => ({
      attempt_number,
      max_attempts: call.plan.maxAttempts,
    })),
  );
}

/** The events of a primary attempt that succeeded, and of its call. */
export function tellSuccess(
  call: Call,
  transition: CircuitBreakerTransition | undefined,
): Promise<void> | undefined {
  const { endMs } = call;
  const moved = tellTransition(call, transition, endMs);
  const limited = inOrder(moved, () => tellMove(call, endMs));
  const attempt = inOrder(limited, () =>
    tell(call, 'attempt.succeeded', endMs, () => succeededPayload(successRecord(call))),
  );
  return inOrder(attempt, () => tell(call, 'operation.succeeded', endMs, operationSucceededPayload(call)));
}

/** The events of a primary attempt that failed, in the order in which its parts happened. */
export async function tellFailure(
  call: Call,
  record: AttemptRecord,
  transition: CircuitBreakerTransition | undefined,
  admitted: boolean,
): Promise<void> {
  const { endMs, number } = record;
  if (!admitted) await tellAttemptStarted(call);
  const refusal = call.trouble?.refusal;
  if (record.rateLimit !== undefined) await tellRateLimit(call, record, record.rateLimit);
  if (record.validation !== undefined) await tellInvalid(call, record.validation);
  if (refusal !== undefined)
    await tell(call, 'circuit_breaker.rejected', endMs, () => rejectedPayload(number, refusal));
  const limit = call.guard?.refusal;
  if (limit instanceof ConcurrencyLimitError)
    await tell(call, 'concurrency_limit.rejected', endMs, () => ({
      attempt_number: number,
      limit_name: limit.limitName,
      reason: limit.reason,
    }));
  const move = tellMove(call, endMs);
  if (move !== undefined) await move;
  await tellTransition(call, transition, endMs);
  await tell(call, 'attempt.failed', endMs, () => attemptFailedPayload(record));
}

async function tellRateLimit(call: Call, record: AttemptRecord, rateLimit: RateLimitNote): Promise<void> {
  const { endMs } = record;
  const maxWaitSeconds = call.plan.rateLimit?.maxWaitSeconds ?? 0;
  await tell(call, 'rate_limit.detected', endMs, () =>
    rateLimitDetectedPayload(record, rateLimit, maxWaitSeconds),
  );
  if (!rateLimit.exceeded) return;
  await tell(call, 'rate_limit.wait_exceeded', endMs, () =>
    rateLimitExceededPayload(record, rateLimit, maxWaitSeconds),
  );
}

export function tellInvalid(
  call: Call,
  { validatorName, reason }: ValidationResult,
): Promise<void> | undefined {
  const attempt_number = call.attemptNumber;
  const inFallback = call.phase === 'fallback' ? { fallback_used: true as const } : {};
  const payload = {
    attempt_number,
    validator_name: validatorName,
    reason: reason ?? validatorName,
    ...inFallback,
  };
  return tell(call, 'validation.failed', call.clock.monotonicMs(), () => payload);
}
