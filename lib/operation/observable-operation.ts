import type { Call } from './call.js';
import type { CallForm } from './call-form.js';
import { forgetSource, isWithoutValue } from './observable-attempt.js';
import type { ObservableClass, Subscriber } from './observable-class.js';
import type { ObservableLike } from './observable-like.js';
import type { Plan } from './plan.js';
import { launch, newCall } from './start.js';

/** Links an Observable to the operation that runs at each subscription. */
const OPERATION = Symbol.for('relprim/observable-operation');

/** Runs the operation once for a subscriber, and gives it the value itself or a result. */
type RunFor = (subscriber: Subscriber, form: CallForm, signal?: AbortSignal) => void;

/** An Observable whose every subscription is one call. `planOf` finds out, at each, where it runs. */
export function operationObservable(
  Observable: ObservableClass,
  planOf: () => Plan,
  self: unknown,
  args: readonly unknown[],
): ObservableLike<unknown> {
  const run: RunFor = (subscriber, form, signal) => {
    let plan;
    try {
      plan = planOf();
    } catch (error) {
      return subscriber.error(error);
    }
    runFor(subscriber, newCall(plan, self, args, form), signal);
  };
  const observable = new Observable((subscriber) => void run(subscriber, 'value'));
  return Object.defineProperty(observable, OPERATION, { value: run });
}

/** An Observable of the results of another one; `undefined` where no operation runs at the subscriptions to that. */
export function resultObservable(
  Observable: ObservableClass,
  source: object,
  signal: AbortSignal | undefined,
): ObservableLike<unknown> | undefined {
  const run = (source as { readonly [OPERATION]?: RunFor })[OPERATION];
  return run && new Observable((subscriber) => void run(subscriber, 'result', signal));
}

/** When calls end that their subscriber has left. */
const endings = new WeakMap<Call, Promise<void>>();

/** What to wait for until a call that its subscriber has left has its account. */
export function endingOf(call: Call): Promise<void> | undefined {
  return endings.get(call);
}

/** What follows the end of the call runs where the call was begun, in the async context of its subscriber. */
function runFor(subscriber: Subscriber, call: Call, signal: AbortSignal | undefined): void {
  let ending: Promise<void> | undefined = undefined;
  // Before anything runs: the source itself may be what makes the subscriber leave.
  subscriber.add(() => {
    if (call.status !== undefined) return;
    call.cancel(unsubscribed());
    if (ending !== undefined) endings.set(call, ending);
  });
  ending = launch(call, signal).then(
    (value) => {
      const isValue = call.form === 'result' || !isWithoutValue(call);
      forget(call);
      if (subscriber.closed) return;
      if (isValue) subscriber.next(value);
      subscriber.complete();
    },
    (error: unknown) => {
      forget(call);
      if (!subscriber.closed) subscriber.error(error);
    },
  );
  if (call.cancelled) endings.set(call, ending);
}

/** The call has its account. */
function forget(call: Call): void {
  endings.delete(call);
  forgetSource(call);
}

function unsubscribed(): DOMException {
  return new DOMException('The subscriber has unsubscribed', 'AbortError');
}
