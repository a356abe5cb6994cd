import { isMisuse } from '../errors/misuse-error.js';
import { OperationTimeoutError } from '../policies/timeout/operation-timeout-error.js';
import { errorSummary } from '../report/execution-error.js';
import { msToSeconds } from '../time/duration.js';
import { attemptNote, attemptRecord, type AttemptRecord } from './attempt-record.js';
import type { Call } from './call.js';
import { recordFailure } from './breaker-records.js';
import { chooseDelay } from './choose-delay.js';
import { CUT } from './interruptible.js';
import { decide, type Decision } from './decision.js';
import { failGuarded } from './guarded-attempt.js';
import { Interruption } from './interruption.js';
import { scheduledPayload } from './payloads.js';
import { reasonOf, tellBudgetExhausted } from './shield-telling.js';
import type { Guard } from './guard.js';
import { tell } from './tell.js';
import { tellFailure } from './telling.js';

/**
 * A primary attempt has failed: records it, tells it, and waits if there is to be another one. Gives whether there is;
 * a promise only where something had to be waited for, so that a refusal is over at once.
 * @throws what ends the whole call.
 */
export function recover(call: Call, thrown: unknown): boolean | Promise<boolean> {
  const nowMs = call.clock.monotonicMs();
  const cut = failureOf(call, thrown, nowMs);
  const met = cut?.timeout ?? thrown;
  const trouble = call.troubled();
  const refused = trouble.isRefusal(met);
  const { attemptOpen: admitted } = call;
  const notAdmitted = call.guard?.refusal !== undefined && call.guard.refusal === met;
  if (call.guard !== undefined) failGuarded(call, call.guard, met, nowMs);
  const { failure, retryable, delayMs, rateLimit } = chooseDelay(call, met);
  const transition = recordFailure(call, met, cut?.provesNothing ?? false, nowMs);
  if (call.cancelled) throw CUT;
  const record = attemptRecord({
    number: call.attemptNumber,
    fallback: false,
    // An extractor's mistake takes the place of what it was asked about, a timeout of ours too.
    status: cut === undefined || failure !== met ? 'failed' : 'timed_out',
    startMs: call.attemptStartMs,
    endMs: nowMs,
    error: errorSummary(failure, retryable),
    refused,
    refusedFor: refused ? trouble.refusal?.reason : undefined,
    validation: call.validation?.valid === false ? call.validation : undefined,
    delayMs,
    rateLimit,
    guard: call.guard && attemptNote(call.guard),
    stallMs: trouble.stallMs,
  });
  call.note(record);
  trouble.noteCause(met, call.sequence);
  trouble.failure = failure;
  trouble.outcomeUnknown = cut?.timeout.outcomeUnknown === true;
  if (!refused && !notAdmitted) trouble.lastRealFailure = failure;
  if (rateLimit !== undefined) trouble.noteRateLimit(rateLimit);
  if (call.emitters === undefined) return goOn(call, record);
  return tellFailure(call, record, transition, admitted).then(() => goOn(call, record));
}

function goOn(call: Call, record: AttemptRecord): boolean | Promise<boolean> {
  const { plan, breaker } = call;
  const trouble = call.troubled();
  const attemptsLeft = record.number < plan.maxAttempts;
  const mayRetry = record.delayMs !== undefined && attemptsLeft;
  const decision = decide({
    retryable: record.error?.retryable === true,
    delayMs: record.delayMs,
    attemptsLeft,
    refused: record.refused,
    unwaited: trouble.unwaited,
    // Not asked without need: it looks at the clock.
    breakerWaitMs: breaker === undefined || !mayRetry ? 0 : breaker.waitMs(),
    remainingMs: call.remainingMs,
  });
  trouble.unwaited = decision.unwaited;
  trouble.deadlineExhausted = decision.deadlineExhausted;
  if (decision.retry && isShuttingDown(call)) return false;
  if (call.guard?.shield !== undefined) return goOnShielded(call, call.guard, record, decision);
  return decision.retry && waitForNext(call, record, decision.waitMs);
}

/** A retry costs one unit of the shield's budget. */
function goOnShielded(
  call: Call,
  guard: Guard,
  record: AttemptRecord,
  decision: Decision,
): boolean | Promise<boolean> {
  if (!decision.retry) {
    guard.gaveUp = reasonOf(guard, decision.deadlineExhausted);
    return false;
  }
  if (guard.shield?.takeRetry(record.endMs) === true) {
    guard.retries += 1;
    return waitShielded(call, guard, record, decision.waitMs);
  }
  guard.gaveUp = 'budget_exhausted';
  const told = tellBudgetExhausted(call, guard);
  return told === undefined ? false : told.then(() => false);
}

async function waitShielded(
  call: Call,
  guard: Guard,
  record: AttemptRecord,
  waitMs: number,
): Promise<boolean> {
  const goesOn = await waitForNext(call, record, waitMs);
  if (!goesOn && call.trouble?.deadlineExhausted === true) guard.gaveUp = 'deadline_exhausted';
  return goesOn;
}

/** Whether there is no further attempt because the application is stopping, which is noted. */
function isShuttingDown(call: Call): boolean {
  if (call.plan.host.shutdown?.begun !== true) return false;
  call.troubled().shuttingDown = true;
  return true;
}

function waitForNext(call: Call, record: AttemptRecord, waitMs: number): boolean | Promise<boolean> {
  if (call.emitters !== undefined || waitMs > 0) return waitTold(call, record, waitMs);
  return call.remainingMs > 0 || exhaust(call);
}

async function waitTold(call: Call, record: AttemptRecord, waitMs: number): Promise<boolean> {
  if (call.emitters !== undefined)
    await tell(call, 'retry.scheduled', record.endMs, () => scheduledPayload(record, waitMs));
  // A sink may have used up the time that there was for this wait.
  if (waitMs >= call.remainingMs) return exhaust(call);
  if (waitMs > 0) await waitNoted(call, record, waitMs);
  else if (isShuttingDown(call)) return false;
  // The event loop may have been busy for so long that both were over at once.
  return call.remainingMs > 0 || exhaust(call);
}

async function waitNoted(call: Call, record: AttemptRecord, waitMs: number): Promise<void> {
  const startMs = call.clock.monotonicMs();
  const { shutdown } = call.plan.host;
  shutdown?.enter(call, call.trouble?.failure);
  try {
    await call.wait(waitMs);
  } catch (error) {
    // Otherwise it was the deadline, which the caller of this asks about anyway.
    if (call.cancelled) throw error;
  } finally {
    shutdown?.leave(call);
    call.endMs = call.clock.monotonicMs();
    record.waitedMs = call.endMs - startMs;
    if (record.rateLimit !== undefined) call.troubled().rateLimitWaitMs += record.waitedMs;
  }
}

/** The deadline leaves no room for another attempt. */
function exhaust(call: Call): false {
  call.troubled().deadlineExhausted = true;
  return false;
}

interface CutAttempt {
  readonly timeout: OperationTimeoutError;
  /** The call's deadline came before the attempt had its own time: nothing is known about the upstream. */
  readonly provesNothing: boolean;
}

/** Our own timeout, where that ended the attempt; `undefined` for a failure of the work itself. */
function failureOf(call: Call, thrown: unknown, nowMs: number): CutAttempt | undefined {
  if (thrown instanceof Interruption) throw thrown;
  if (call.cancelled) throw CUT;
  if (isMisuse(thrown)) throw new Interruption(thrown);
  call.dropTimers();
  if (thrown !== CUT) return undefined;
  const { plan } = call;
  const byDeadline = call.deadlineExpired || nowMs >= call.deadlineDueMs;
  const outlived =
    call.attemptExpired || (call.phase === 'attempt' && nowMs - call.attemptStartMs >= call.timeoutMs);
  const trouble = call.troubled();
  // An attempt that waited to be admitted, or began after the deadline, did not call the method.
  const outcomeUnknown = call.attemptOpen && call.attemptStartMs < call.deadlineDueMs;
  const facts = { outcomeUnknown, localStall: msToSeconds(trouble.stallMs) };
  const timeout = byDeadline
    ? new OperationTimeoutError(msToSeconds(plan.deadlineMs), 'deadline', facts)
    : new OperationTimeoutError(msToSeconds(call.timeoutMs), 'attempt', facts);
  trouble.ownTimeout = timeout;
  call.abandonAttempt(timeout);
  return { timeout, provesNothing: byDeadline && !outlived };
}
