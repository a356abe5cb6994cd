import { isMisuse } from '../errors/misuse-error.js';
import type { Call } from './call.js';
import { executionError, OperationExecutionError } from './operation-execution-error.js';

/** There is no account, as nothing that keeps one was called. */
export class NoOperationError extends TypeError {}

/** What a call failed with, in the result form. */
export function asResultError(error: unknown, call: Call): unknown {
  const passesThrough =
    error instanceof OperationExecutionError ||
    isMisuse(error) ||
    call.status === 'cancelled' ||
    call.trouble?.interrupted === true;
  return passesThrough ? error : executionError(call.plan.name, call, error);
}

/** A function, asked for the result of what it starts, started more than one operation. */
export function severalStarted(calls: readonly Call[]): TypeError {
  const names = calls.map((call) => call.plan.name).join(', ');
  return new TypeError(
    `resultOf() was given a function that starts several operations (${names}); ask for the result of each`,
  );
}
