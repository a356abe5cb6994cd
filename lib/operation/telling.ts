import { StructuredEvent, type AnyEvent } from '../events/structured-event.js';
import type { EventPayloads, EventType } from '../events/event-types.js';
import type { CircuitBreakerTransition } from '../policies/circuit-breaker/circuit-breaker-state.js';
import { transitionEventType, transitionPayload } from '../policies/circuit-breaker/transition-event.js';
import type { ValidationResult } from '../policies/validation/validation-result.js';
import { successRecord, wallStart } from './account.js';
import type { AttemptRecord, RateLimitNote } from './attempt-record.js';
import type { Call } from './call.js';
import { CUT } from './interruptible.js';
import { Interruption } from './interruption.js';
import {
  attemptFailedPayload,
  operationSucceededPayload,
  rateLimitDetectedPayload,
  rateLimitExceededPayload,
  rejectedPayload,
  succeededPayload,
} from './payloads.js';

/**
 * Tells the emitters of a call what happened at a moment. The payload is made when somebody reads it, so it must be
 * made of what no longer changes. Gives a promise only where a sink gave one.
 */
export function tell<T extends EventType>(
  call: Call,
  eventType: T,
  atMs: number,
  payload: () => EventPayloads[T],
): Promise<void> | undefined {
  if (call.emitters === undefined) return undefined;
  if (call.cancelled) throw CUT;
  const timestamp = new Date(wallStart(call) + atMs - call.startMs);
  const callId = (): string => call.callId;
  const event = new StructuredEvent({ eventType, operationName: call.plan.name, timestamp, payload, callId });
  return tellFrom(call, 0, event as unknown as AnyEvent);
}

function tellFrom(call: Call, start: number, event: AnyEvent): Promise<void> | undefined {
  const emitters = call.emitters ?? [];
  for (let index = start; index < emitters.length; index += 1) {
    let told: Promise<void> | undefined;
    try {
      told = emitters[index]?.tell(event);
    } catch (error) {
      throw new Interruption(error);
    }
    if (told !== undefined) return awaitSink(call, told).then(() => tellFrom(call, index + 1, event));
  }
  if (call.cancelled) throw CUT;
  return undefined;
}

async function awaitSink(call: Call, told: Promise<void>): Promise<void> {
  const { phase } = call;
  call.phase = 'telling';
  try {
    await call.untilCut(told);
  } catch (error) {
    throw error === CUT ? CUT : new Interruption(error);
  } finally {
    call.phase = phase;
  }
  call.stopWaiting();
}

/** Says that a breaker changed its state because of this call. */
export function tellTransition(
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
  const attempt = inOrder(moved, () =>
    tell(call, 'attempt.succeeded', endMs, () => succeededPayload(successRecord(call))),
  );
  return inOrder(attempt, () => tell(call, 'operation.succeeded', endMs, operationSucceededPayload(call)));
}

/** The events of a primary attempt that failed, in the order in which its parts happened. */
export async function tellFailure(
  call: Call,
  record: AttemptRecord,
  transition: CircuitBreakerTransition | undefined,
): Promise<void> {
  const { endMs, number } = record;
  const refusal = call.trouble?.refusal;
  if (record.rateLimit !== undefined) await tellRateLimit(call, record, record.rateLimit);
  if (record.validation !== undefined) await tellInvalid(call, record.validation);
  if (refusal !== undefined)
    await tell(call, 'circuit_breaker.rejected', endMs, () => rejectedPayload(number, refusal));
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
