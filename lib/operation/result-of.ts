import { isAbortSignal } from '../attempt/abort-listeners.js';
import { checkOptions, refuse } from '../errors/check.js';
import type { Call } from './call.js';
import { isObservable, type ObservableLike, type ObservableOf } from './observable-like.js';
import { isResult, OperationResult } from './operation-result.js';
import { asResultError, NoOperationError, severalStarted } from './result-error.js';
import { resultsOf, resultsWithin } from './result-of-observable.js';
import { callOf, isRefusedStart, watchStarts, type StartWatch } from './start.js';

/** Options of {@link resultOf}. */
export interface ResultOfOptions {
  /** Ends the operations that the function starts, as their own `signal` would. Not with a promise. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The value of a call together with its report: `const { value, report } = await resultOf(payments.charge(order))`.
 *
 * Given a function, it finds the operation that the function starts before its first `await`, also behind other
 * decorators: `resultOf(() => payments.charge(order))`. Of a method that returns Observables it makes an Observable of
 * results: each subscription to that is one call.
 * @throws {OperationExecutionError} with the report when the call failed; the signal's reason when it was cancelled;
 * a `TypeError` when no operation made the promise or Observable.
 */
export function resultOf<T>(
  source: PromiseLike<OperationResult<T>> | (() => PromiseLike<OperationResult<T>>),
  options?: ResultOfOptions,
): Promise<OperationResult<T>>;
export function resultOf<T>(
  source: ObservableLike<T> | (() => ObservableLike<T>),
  options?: ResultOfOptions,
): ObservableOf<OperationResult<T>>;
export function resultOf<T>(
  source: PromiseLike<T> | (() => PromiseLike<T> | T),
  options?: ResultOfOptions,
): Promise<OperationResult<Awaited<T>>>;
export function resultOf(source: unknown, options: ResultOfOptions = {}): unknown {
  if (typeof source !== 'function') {
    if (!isObservable(source)) return resultOfPromise(source, options);
    checkResultOfOptions(options);
    return resultsOf(source, options.signal);
  }
  let started;
  try {
    checkResultOfOptions(options);
    started = startAndFind(source as () => unknown, options);
  } catch (error) {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as it is, whatever it is
    return Promise.reject(error);
  }
  const { outcome, call } = started;
  return isObservable(outcome) ? resultsWithin(outcome, options.signal) : resultOfCall(outcome, call, true);
}

async function resultOfPromise(
  promise: unknown,
  options: ResultOfOptions,
): Promise<OperationResult<unknown>> {
  checkResultOfOptions(options);
  if (options.signal === undefined) return resultOfCall(promise, callOf(promise), false);
  handleLater(promise);
  return refuse(
    'signal',
    options.signal,
    'give resultOf() a function that starts the operation: one that runs already takes no signal',
  );
}

async function resultOfCall(
  outcome: unknown,
  call: Call | undefined,
  fromFunction: boolean,
): Promise<OperationResult<unknown>> {
  if (call === undefined) {
    if (isRefusedStart(outcome)) return outcome;
    handleLater(outcome);
    throw new NoOperationError(
      fromFunction
        ? 'resultOf() called a function that starts no operation before its first await; call a decorated method in it'
        : 'resultOf() was given a promise that no operation made; give the promise of a decorated method itself, or a function that calls it',
    );
  }
  try {
    const value: unknown = await outcome;
    return isResult(value) ? value : new OperationResult(value, call);
  } catch (error) {
    throw asResultError(error, call);
  }
}

function checkResultOfOptions(options: ResultOfOptions): void {
  checkOptions('resultOf', options, ['signal']);
  if (options.signal !== undefined && !isAbortSignal(options.signal))
    refuse('signal', options.signal, 'give an AbortSignal');
}

function startAndFind(
  run: () => unknown,
  { signal }: ResultOfOptions,
): { readonly outcome: unknown; readonly call: Call | undefined } {
  const watch: StartWatch = { signal, calls: [] };
  const outcome = watchStarts(watch, run);
  const own = callOf(outcome);
  if (own === undefined && watch.calls.length > 1 && !isObservable(outcome)) {
    handleLater(outcome);
    throw severalStarted(watch.calls);
  }
  return { outcome, call: own ?? watch.calls[0] };
}

/** The promise's own failure is nobody's once we have refused it. */
function handleLater(promise: unknown): void {
  if (promise instanceof Promise) promise.catch(() => undefined);
}
