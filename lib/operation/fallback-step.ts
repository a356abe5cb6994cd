import { isMisuse } from '../errors/misuse-error.js';
import { FallbackChainError } from '../policies/fallback/fallback-chain-error.js';
import type {
  FallbackCandidate,
  FallbackChain,
  FallbackResult,
} from '../policies/fallback/fallback-chain.js';
import { ValidationFailedError } from '../policies/validation/validation-failed-error.js';
import type { ValidationResult } from '../policies/validation/validation-result.js';
import { errorSummary, errorType, type ErrorSummary } from '../report/execution-error.js';
import { attemptRecord, type AttemptRecord } from './attempt-record.js';
import type { Call } from './call.js';
import { invoke } from './call-method.js';
import { CUT } from './interruptible.js';
import { complete } from './conclusion.js';
import { Interruption } from './interruption.js';
import {
  attemptFailedPayload,
  fallbackFailedPayload,
  operationFailedPayload,
  operationSucceededPayload,
  succeededPayload,
} from './payloads.js';
import { tell } from './tell.js';
import { tellInvalid } from './telling.js';
import { givenUp, tellGaveUp, tellRecovered } from './shield-telling.js';
import type { GivenUp } from './shielding.js';
import { validateValue } from './validation-step.js';

/** What came of the fallback: what the caller gets, or why there is nothing. */
export type Answer =
  { readonly found: true; readonly value: unknown } | { readonly found: false; readonly failure: unknown };

/**
 * The primary path has failed: asks the fallback chain, where it is meant for that failure. A promise only where
 * something had to be waited for.
 */
export function fallBack(call: Call): Answer | Promise<Answer> {
  const { guard } = call;
  const shield = guard?.shield;
  const fallbacks = shield === undefined ? call.plan.fallbacks : shield.recovery;
  const { failure } = call.troubled();
  const meant = guard?.kind !== 'passes' && fallbacks?.shouldFallback(failure) === true;
  if (call.cancelled) throw CUT;
  const how = guard && givenUp(call, guard);
  return meant ? askChain(call, fallbacks, how) : giveUp(call, failure, how);
}

async function askChain(call: Call, chain: FallbackChain, how: GivenUp | undefined): Promise<Answer> {
  try {
    const { value } = await runChain(call, chain);
    return { found: true, value: complete(call, value) };
  } catch (error) {
    if (endsCall(error)) throw error;
    const shield = call.guard?.shield;
    const failure = shield === undefined ? error : shield.endingOf(error, call.trouble?.failure);
    return giveUp(call, failure, how);
  }
}

function giveUp(call: Call, failure: unknown, how: GivenUp | undefined): Answer | Promise<Answer> {
  const answer: Answer = { found: false, failure };
  const { guard } = call;
  if (how !== undefined && failure === call.trouble?.failure) guard?.shield?.note(failure, how);
  if (call.emitters === undefined) return answer;
  return tellEnd(call, failure, how).then(() => answer);
}

async function tellEnd(call: Call, failure: unknown, how: GivenUp | undefined): Promise<void> {
  if (how !== undefined && call.guard !== undefined) await tellGaveUp(call, call.guard, how);
  const type = errorType(failure);
  await tell(call, 'operation.failed', call.endMs, operationFailedPayload(call, type));
}

async function runChain(call: Call, chain: FallbackChain): Promise<FallbackResult<unknown>> {
  const primaryAttempts = call.attemptNumber;
  call.openAttempt();
  call.phase = 'fallback';
  const { attemptNumber: attempt_number } = call;
  await tell(call, 'fallback.started', call.attemptStartMs, () => ({
    attempt_number,
    after_primary_attempts: primaryAttempts,
  }));
  call.restartClock();
  call.attemptOpen = true;
  try {
    const result = await chain.runWith(
      (candidate) => runCandidate(call, candidate),
      call.trouble?.failure,
      endsCall,
    );
    const { candidateName: name, candidateIndex: index, failureCount } = result;
    const record = noteChain(call, 'succeeded', null, { name, index }, failureCount);
    await tell(call, 'fallback.succeeded', record.endMs, () => succeededPayload(record));
    if (call.guard?.shield !== undefined) {
      call.guard.recoveredBy = name;
      await tellRecovered(call, call.guard, name, record.endMs);
    }
    await tell(call, 'attempt.succeeded', record.endMs, () => succeededPayload(record));
    await tell(call, 'operation.succeeded', record.endMs, operationSucceededPayload(call));
    return result;
  } catch (error) {
    if (endsCall(error)) throw error;
    if (isMisuse(error)) throw new Interruption(error);
    await tellChainFailed(call, error);
    throw error;
  }
}

async function runCandidate(call: Call, candidate: FallbackCandidate): Promise<unknown> {
  call.validation = undefined;
  let value: unknown;
  try {
    value = await invoke(call, candidate.operation);
    call.stopWaiting();
    await validateValue(call, value);
  } catch (error) {
    // Whoever goes away while a stand-in runs is not interested in how it failed.
    if (call.cancelled) throw CUT;
    const judged = call.validation as ValidationResult | undefined;
    if (judged?.valid === false) await tellInvalid(call, judged);
    throw error;
  }
  return value;
}

async function tellChainFailed(call: Call, failure: unknown): Promise<void> {
  const failures = failure instanceof FallbackChainError ? failure.failures : [];
  for (const one of [failure, ...failures]) call.troubled().noteCause(one, call.sequence);
  if (!(failure instanceof ValidationFailedError)) call.validation = undefined;
  const record = noteChain(call, 'failed', errorSummary(failure, false), undefined, failures.length);
  await tell(call, 'fallback.failed', record.endMs, () => fallbackFailedPayload(record));
  await tell(call, 'attempt.failed', record.endMs, () => attemptFailedPayload(record));
}

function noteChain(
  call: Call,
  status: 'succeeded' | 'failed',
  error: ErrorSummary | null,
  candidate: AttemptRecord['candidate'],
  failedCandidates: number,
): AttemptRecord {
  const record = attemptRecord({
    number: call.attemptNumber,
    fallback: true,
    status,
    startMs: call.attemptStartMs,
    endMs: call.clock.monotonicMs(),
    error,
    validation: call.validation,
    candidate,
    failedCandidates,
  });
  call.note(record);
  return record;
}

function endsCall(error: unknown): boolean {
  return error === CUT || error instanceof Interruption;
}
