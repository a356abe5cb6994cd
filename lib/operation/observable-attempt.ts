import type { AbortListener } from '../attempt/abort-listeners.js';
import { describeValue } from '../errors/describe-value.js';
import { MisuseError } from '../errors/misuse-error.js';
import { errorType } from '../report/execution-error.js';
import { HeldValue } from './held-value.js';
import { CUT, type Phase } from './interruptible.js';
import { isPromiseLike } from './kinds.js';
import type { ObservableClass } from './observable-class.js';
import { sourceOf } from './observable-like.js';
import type { Plan } from './plan.js';

/** A call, as seen from what its attempts subscribe to. */
interface SubscribingCall {
  readonly plan: Plan;
  readonly phase: Phase;
  readonly cancelled: boolean;
  /** Said by a call that was given what another one got. */
  readonly withoutValue?: boolean;
  children(): Set<AbortListener>;
}

/** What calls have subscribed to lately. No property of the call: those of promises have nothing to keep there. */
const latest = new WeakMap<SubscribingCall, HeldValue>();

/** Whether a call that succeeded has nothing to deliver, rather than the value `undefined`. */
export function isWithoutValue(call: SubscribingCall): boolean {
  return call.withoutValue ?? latest.get(call)?.isEmpty === true;
}

/**
 * Nobody will ask that about the call again. The collector lets go of an entry in time, too, but a table that was large
 * once keeps its size until something is taken out of it.
 */
export function forgetSource(call: SubscribingCall): void {
  latest.delete(call);
}

/**
 * What to await of what an attempt gave, where a method returns Observables. A source is subscribed to at once, in the
 * synchronous part of the attempt, and left when the attempt is cut. A fallback may give a promise or a value, too.
 */
export function awaitSource(call: SubscribingCall, outcome: unknown, Observable: ObservableClass): unknown {
  const { name } = call.plan;
  const source = isPromiseLike(outcome) ? undefined : sourceOf(outcome);
  if (source !== undefined) {
    // The method itself may have let the caller go away.
    if (call.cancelled) throw CUT;
    const held = new HeldValue(name, call.children(), complainOf(call));
    latest.set(call, held);
    return held.subscribe(source, Observable);
  }
  latest.delete(call);
  if (call.phase === 'fallback' || isPromiseLike(outcome)) return outcome;
  throw new MisuseError(
    `${name} was to return an Observable and returned ${describeValue(outcome)}; is there a return missing?`,
  );
}

function complainOf({ plan }: SubscribingCall): (error: unknown) => void {
  return (error) =>
    plan.host.warn(`a source of ${plan.name} failed with ${errorType(error)} while it was unsubscribed from`);
}
