import { admit } from './admission.js';
import { askBreaker } from './ask-breaker.js';
import type { Call } from './call.js';
import { invoke } from './call-method.js';
import { complete, conclude } from './conclusion.js';
import { fallBack } from './fallback-step.js';
import { startedPayload } from './payloads.js';
import { recover } from './recovery.js';
import { tell } from './tell.js';
import { tellAttemptStarted, tellSuccess } from './telling.js';
import { validateValue } from './validation-step.js';

/*
 * One call, in its fixed order. Policies decide, this acts; whatever is thrown inside an attempt is that attempt's
 * failure, unless it ends the whole call.
 *
 * Everything that follows a wait is a continuation which this call itself registered, so it runs in the call's own
 * async context, also when a timer that another call armed is what ended the wait.
 */

/** Runs a call. Never throws: whatever goes wrong is a rejection. */
export function execute(call: Call, ownSignal?: AbortSignal, watchSignal?: AbortSignal): Promise<unknown> {
  if (call.emitters !== undefined) return executeTold(call, ownSignal, watchSignal);
  try {
    call.begin(ownSignal, watchSignal);
  } catch (ending) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever ended it, as it is
    return Promise.reject(conclude(call, ending));
  }
  return firstTry(call);
}

async function executeTold(call: Call, ownSignal?: AbortSignal, watchSignal?: AbortSignal): Promise<unknown> {
  try {
    call.begin(ownSignal, watchSignal);
    const told = tell(call, 'operation.started', call.startMs, () => startedPayload(call.plan, call.guard));
    if (told !== undefined) await told;
  } catch (ending) {
    throw conclude(call, ending);
  }
  const value = await attempt(call);
  return value === FAILED ? afterFailure(call, call.troubled().thrown) : value;
}

/** What an attempt gives that has failed, which is handed on: thrown through one function more it would cost a third of a retry. */
const FAILED = Symbol('failed');

/** One primary attempt: admit, ask the breaker, start the clock, call, validate, record. Gives what the caller of the operation gets. Never throws. */
async function attempt(call: Call): Promise<unknown> {
  const { plan } = call;
  try {
    call.openAttempt();
    const admitted = call.guard === undefined ? undefined : admit(call, call.guard);
    if (admitted !== undefined) await admitted;
    if (plan.hasBreaker) askBreaker(call);
    const started = call.emitters === undefined ? undefined : tellAttemptStarted(call);
    // Not awaited without need: the method starts in the synchronous part of the call, sinks or not.
    if (started !== undefined) await started;
    const refusal = call.startAttempt();
    if (refusal !== undefined) return fail(call, refusal);
    const value = await invoke(call, plan.fn);
    call.stopWaiting();
    const validated = plan.validation === undefined ? undefined : validateValue(call, value);
    if (validated !== undefined) await validated;
    const transition = call.succeedAttempt(value);
    const told = call.emitters === undefined ? undefined : tellSuccess(call, transition);
    if (told !== undefined) await told;
    return complete(call, value);
  } catch (failure) {
    return fail(call, failure);
  }
}

function fail(call: Call, failure: unknown): typeof FAILED {
  call.troubled().thrown = failure;
  return FAILED;
}

/** The primary path has failed once: retries while that is worth it, then falls back or gives up. */
async function afterFailure(
  call: Call,
  failure: unknown,
  /** What `recover` has said, where it was asked already. */
  decided?: boolean | Promise<boolean>,
): Promise<unknown> {
  let ending: unknown;
  try {
    // Awaited at all events: a promise that has failed before its caller can look at it costs Node a microsecond.
    let goesOn = await (decided ?? recover(call, failure));
    while (goesOn) {
      const value = await attempt(call);
      if (value !== FAILED) return value;
      const next = recover(call, call.troubled().thrown);
      goesOn = next instanceof Promise ? await next : next;
    }
    const asked = fallBack(call);
    const answer = asked instanceof Promise ? await asked : asked;
    if (answer.found) return answer.value;
    ending = answer.failure;
  } catch (error) {
    ending = error;
  }
  throw conclude(call, ending);
}

/** The breaker refused the first try: mostly that is all there is to it, and over without an async function. */
function afterRefusal(call: Call, refusal: unknown): Promise<unknown> {
  try {
    const goesOn = recover(call, refusal);
    if (goesOn !== false || call.plan.fallbacks !== undefined) return afterFailure(call, refusal, goesOn);
  } catch (ending) {
    return rejectSoon(conclude(call, ending));
  }
  return rejectSoon(conclude(call, refusal));
}

const settled = Promise.resolve();

/** Rejects when its caller has had the time to look at it. */
function rejectSoon(reason: unknown): Promise<never> {
  return new Promise((_, reject) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it is, whatever it is
    void settled.then(() => reject(reason));
  });
}

/**
 * `attempt`, for the first try of a call that nobody listens to: the same steps without an async function around them,
 * which saves a fifth of the time and of the garbage of a call that succeeds at once.
 */
function firstTry(call: Call): Promise<unknown> {
  try {
    call.openAttempt();
    const admitted = call.guard === undefined ? undefined : admit(call, call.guard);
    if (admitted !== undefined) return tryLater(call, admitted);
  } catch (failure) {
    return afterFailure(call, failure);
  }
  return tryNow(call);
}

async function tryLater(call: Call, admitted: Promise<void>): Promise<unknown> {
  try {
    await admitted;
  } catch (failure) {
    return afterFailure(call, failure);
  }
  return tryNow(call);
}

/** The first try has been admitted. */
function tryNow(call: Call): Promise<unknown> {
  const { plan } = call;
  let outcome: unknown;
  try {
    if (plan.hasBreaker) askBreaker(call);
    // Handed on rather than thrown: throwing would cost a refusal half of its time.
    const refusal = call.startAttempt();
    if (refusal !== undefined) return afterRefusal(call, refusal);
    outcome = invoke(call, plan.fn);
  } catch (failure) {
    return afterFailure(call, failure);
  }
  const promise = outcome instanceof Promise ? outcome : Promise.resolve(outcome);
  return promise.then(
    (value) => accept(call, value),
    (failure) => afterFailure(call, failure),
  );
}

/** The second half of `firstTry`. */
function accept(call: Call, value: unknown): unknown {
  try {
    call.stopWaiting();
    const validated = call.plan.validation === undefined ? undefined : validateValue(call, value);
    if (validated !== undefined) return acceptLater(call, value, validated);
    call.succeedAttempt(value);
    return complete(call, value);
  } catch (failure) {
    return afterFailure(call, failure);
  }
}

async function acceptLater(call: Call, value: unknown, validated: Promise<void>): Promise<unknown> {
  try {
    await validated;
    call.succeedAttempt(value);
    return complete(call, value);
  } catch (failure) {
    return afterFailure(call, failure);
  }
}
