import type { Call } from './call.js';
import { HeldValue } from './held-value.js';
import { observableClass, type ObservableClass, type Subscriber } from './observable-class.js';
import type { ObservableLike } from './observable-like.js';
import { endingOf, resultObservable } from './observable-operation.js';
import { isResult, OperationResult } from './operation-result.js';
import { asResultError, NoOperationError, severalStarted } from './result-error.js';
import { watchStarts, type StartWatch } from './start.js';

/** The results of a decorated method's own Observable: one for each subscription. */
export function resultsOf(
  source: ObservableLike<unknown>,
  signal: AbortSignal | undefined,
): ObservableLike<unknown> {
  const results = resultObservable(classFor(source), source, signal);
  if (results !== undefined) return results;
  throw new NoOperationError(
    'resultOf() was given an Observable that no operation made; give the Observable of a decorated method itself, before ' +
      'any pipe(), or a function that gives what came of it',
  );
}

/** The same for what a function gave: other decorators may have piped the method's Observable since. */
export function resultsWithin(
  source: ObservableLike<unknown>,
  signal: AbortSignal | undefined,
): ObservableLike<unknown> {
  const Observable = classFor(source);
  return (
    resultObservable(Observable, source, signal) ??
    new Observable((subscriber) => void watchSubscription(subscriber, source, signal, Observable))
  );
}

/** Subscribes, and finds the operation that this starts in its synchronous part. */
function watchSubscription(
  subscriber: Subscriber,
  source: ObservableLike<unknown>,
  signal: AbortSignal | undefined,
  Observable: ObservableClass,
): void {
  const watch: StartWatch = { signal, calls: [] };
  const held = new HeldValue('resultOf()');
  subscriber.add(() => held.cancel());
  const promise = watchStarts(watch, () => held.subscribe(source, Observable));
  const [call, ...more] = watch.calls;
  if (call === undefined) return refuseLater(subscriber, promise);
  promise.then(
    async (value) => {
      await ended(call);
      if (subscriber.closed) return;
      subscriber.next(isResult(value) ? value : new OperationResult(value, call));
      subscriber.complete();
    },
    async (error: unknown) => {
      await ended(call);
      if (!subscriber.closed) subscriber.error(asResultError(error, call));
    },
  );
  if (more.length > 0) subscriber.error(severalStarted(watch.calls));
}

/** Operators may have left the call, and told the end before it has its account. */
async function ended(call: Call): Promise<void> {
  if (call.status === undefined) await endingOf(call);
}

/** What made the source fail at once, before anything could start, says more than that nothing did. */
function refuseLater(subscriber: Subscriber, promise: Promise<unknown>): void {
  const refuse = (error: unknown): void => {
    if (!subscriber.closed) subscriber.error(error);
  };
  const error = new NoOperationError(
    'resultOf() was given an Observable that starts no operation when it is subscribed to; call a decorated method in the function',
  );
  promise.catch(refuse);
  void Promise.resolve(error).then(refuse);
}

function classFor(source: ObservableLike<unknown>): ObservableClass {
  return observableClass((source as { constructor?: unknown }).constructor);
}
