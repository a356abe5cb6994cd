import { enterAttempt, leaveAttempt } from '../attempt/current-attempt.js';
import type { Call } from './call.js';
import { CUT } from './interruptible.js';
import { isPromiseLike, refuseObservable } from './kinds.js';
import { awaitSource } from './observable-attempt.js';
import type { AnyFunction } from './settings.js';

/** Calls the method, or a stand-in for it, inside the running attempt; gives what to await. */
export function invoke(call: Call, fn: AnyFunction): unknown {
  if (call.cancelled) throw CUT;
  const outer = enterAttempt(call);
  let outcome: unknown;
  try {
    outcome = callMethod(call, fn);
  } finally {
    leaveAttempt(outer);
  }
  if (!isPromiseLike(outcome)) return refuseObservable(outcome, call);
  if (!call.interruptible) return outcome;
  const untilCut = call.untilCut(outcome);
  if (!call.cancelled && call.phase === 'attempt')
    (call.guard?.timeouts ?? call.plan.timeouts)?.add(call, call.attemptStartMs);
  return untilCut;
}

/** Calls the method of a call, or a stand-in for it, and subscribes to what it gives where that is meant. */
function callMethod(call: Call, fn: AnyFunction): unknown {
  const { probe } = call.plan;
  if (probe?.invoke === undefined) return callNow(call, fn);
  return probe.invoke(call, () => callNow(call, fn));
}

function callNow(call: Call, fn: AnyFunction): unknown {
  const outcome: unknown = fn.apply(call.self, call.args as unknown[]);
  const { observable } = call.plan;
  return observable === undefined ? outcome : awaitSource(call, outcome, observable);
}
