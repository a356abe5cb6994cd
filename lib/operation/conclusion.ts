import { FallbackChainError } from '../policies/fallback/fallback-chain-error.js';
import { errorSummary } from '../report/execution-error.js';
import { rememberCut, rememberReporter } from '../report/report-of.js';
import { attemptNote, attemptRecord } from './attempt-record.js';
import { recordNothing } from './breaker-records.js';
import type { Call } from './call.js';
import { latestSequence } from './call-sequence.js';
import { CUT } from './interruptible.js';
import { tellListener } from './host.js';
import { Interruption } from './interruption.js';
import { OperationResult } from './operation-result.js';
import { Rejection, rejectionFor } from './rejection.js';

/** The call has succeeded: gives what its caller gets. Never throws. */
export function complete(call: Call, value: unknown): unknown {
  call.status = 'succeeded';
  close(call);
  return call.form === 'result' ? new OperationResult(value, call) : value;
}

/** The call has ended without a value: gives what its caller's promise rejects with. */
export function conclude(call: Call, ending: unknown): unknown {
  recordNothing(call);
  call.guard?.exit(call.clock.monotonicMs());
  const rejection = rejectionOf(call, ending);
  noteStarts(call);
  close(call);
  return call.form === 'rejection' ? rejection : rejectionFor(call, rejection);
}

/** The call has ended although it made no attempt of its own. */
export function concludeOutside(call: Call, failure: unknown, status: 'failed' | 'timed_out'): unknown {
  call.endMs = call.clock.monotonicMs();
  call.status = status;
  call.troubled().failedOutsideAttempt = true;
  rememberReporter(failure, call);
  noteStarts(call);
  close(call);
  return rejectionFor(call, new Rejection(failure));
}

/** What has started by now may be a part of this call, and what starts later is none. */
export function noteStarts(call: Call): void {
  call.troubled().latestStart = latestSequence();
}

function rejectionOf(call: Call, ending: unknown): Rejection {
  if (ending === CUT) {
    const reason = call.cancelReason;
    endOpenAttempt(call, 'cancelled', reason);
    call.status = 'cancelled';
    rememberCut(reason, call);
    return new Rejection(reason, reason, true);
  }
  // Whatever else ends a call while an attempt is open is no failure of that attempt either.
  if (ending instanceof Interruption || call.attemptOpen || call.trouble === undefined) {
    const reason = ending instanceof Interruption ? ending.reason : ending;
    const trouble = call.troubled();
    trouble.failedOutsideAttempt = !call.attemptOpen;
    endOpenAttempt(call, 'failed', reason);
    call.status = 'failed';
    trouble.interrupted = true;
    rememberReporter(reason, call);
    return new Rejection(reason, reason, true);
  }
  call.status = call.trouble.isOwnTimeout(ending) ? 'timed_out' : 'failed';
  rememberReporter(ending, call);
  const failure = isOwnChainError(call, ending) && call.plan.singleFallback ? ending.failures[0] : ending;
  if (failure !== ending) rememberReporter(failure, call);
  return new Rejection(failure, ending);
}

/** A chain of another operation may have failed inside this one; its error stays the failure it is. */
function isOwnChainError(call: Call, ending: unknown): ending is FallbackChainError {
  return ending instanceof FallbackChainError && ending.primaryFailure === call.trouble?.failure;
}

/** The attempt that runs, or whose value is being looked at, ends with the call. */
function endOpenAttempt(call: Call, status: 'cancelled' | 'failed', reason: unknown): void {
  call.endMs = call.clock.monotonicMs();
  if (!call.attemptOpen) return;
  const record = attemptRecord({
    number: call.attemptNumber,
    fallback: call.phase === 'fallback',
    status,
    startMs: call.attemptStartMs,
    endMs: call.endMs,
    error: errorSummary(reason, false),
    validation: call.validation,
    guard: call.guard && attemptNote(call.guard),
  });
  call.note(record);
}

/** The call lets go of what it held, and its listeners are told. */
export function close(call: Call): void {
  const { plan, self } = call;
  call.release();
  plan.probe?.end?.(call);
  if (plan.onReport !== undefined) tellListener(plan.onReport, self, call.report, plan.host);
  const { observers } = plan;
  if (observers.length > 0)
    for (const observer of [...observers]) tellListener(observer, undefined, call.report, plan.host);
}
