import { isAbortSignal } from '../attempt/abort-listeners.js';
import { checkOptions, refuse } from '../errors/check.js';
import type { Call } from './call.js';
import { executionError, OperationExecutionError } from './operation-execution-error.js';
import { OperationResult } from './operation-result.js';
import { callOf, isRefusedStart, watchStarts, type StartWatch } from './start.js';

/** There is no account, as nothing that keeps one was called. */
export class NoOperationError extends TypeError {}

/** Options of {@link resultOf}. */
export interface ResultOfOptions {
  /** Ends the operations that the function starts, as their own `signal` would. Only with a function. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The value of a call together with its report: `const { value, report } = await resultOf(payments.charge(order))`.
 *
 * Given a function, it finds the operation that the function starts before its first `await`, also behind other
 * decorators: `resultOf(() => payments.charge(order))`.
 * @throws {OperationExecutionError} with the report when the call failed; the signal's reason when it was cancelled;
 * a `TypeError` when no operation made the promise.
 */
export async function resultOf<T>(
  source: PromiseLike<OperationResult<T>> | (() => PromiseLike<OperationResult<T>>),
  options?: ResultOfOptions,
): Promise<OperationResult<T>>;
export async function resultOf<T>(
  source: PromiseLike<T> | (() => PromiseLike<T> | T),
  options?: ResultOfOptions,
): Promise<OperationResult<Awaited<T>>>;
export async function resultOf<T>(
  source: PromiseLike<T> | (() => PromiseLike<T> | T),
  options: ResultOfOptions = {},
): Promise<OperationResult<Awaited<T>>> {
  checkOptions('resultOf', options, ['signal']);
  if (options.signal !== undefined && !isAbortSignal(options.signal))
    refuse('signal', options.signal, 'give an AbortSignal');
  if (options.signal !== undefined && typeof source !== 'function') {
    handleLater(source);
    refuse(
      'signal',
      options.signal,
      'give resultOf() a function that starts the operation: one that runs already takes no signal',
    );
  }
  const { promise, call } =
    typeof source === 'function' ? startAndFind(source, options) : { promise: source, call: callOf(source) };
  if (call === undefined) {
    if (isRefusedStart(promise)) return promise;
    handleLater(promise);
    throw new NoOperationError(
      typeof source === 'function'
        ? 'resultOf() called a function that starts no operation before its first await; call a decorated method in it'
        : 'resultOf() was given a promise that no operation made; give the promise of a decorated method itself, or a function that calls it',
    );
  }
  try {
    const value: unknown = await promise;
    return value instanceof OperationResult ? value : new OperationResult(value as Awaited<T>, call);
  } catch (error) {
    throw asResultError(error, call);
  }
}

function startAndFind<T>(
  run: () => PromiseLike<T> | T,
  { signal }: ResultOfOptions,
): { promise: PromiseLike<T> | T; call: Call | undefined } {
  const watch: StartWatch = { signal, calls: [] };
  const promise = watchStarts(watch, run);
  const own = callOf(promise);
  if (own === undefined && watch.calls.length > 1) {
    handleLater(promise);
    const names = watch.calls.map((call) => call.plan.name).join(', ');
    throw new TypeError(
      `resultOf() was given a function that starts several operations (${names}); ask for the result of each`,
    );
  }
  return { promise, call: own ?? watch.calls[0] };
}

function asResultError(error: unknown, call: Call): unknown {
  const passesThrough =
    error instanceof OperationExecutionError ||
    call.status === 'cancelled' ||
    call.trouble?.interrupted === true;
  return passesThrough ? error : executionError(call.plan.name, call, error);
}

/** The promise's own failure is nobody's once we have refused it. */
function handleLater(promise: unknown): void {
  if (promise instanceof Promise) promise.catch(() => undefined);
}
