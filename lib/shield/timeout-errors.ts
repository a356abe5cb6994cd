import { isBranded } from '../errors/brand.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { describeValue } from '../errors/describe-value.js';
import { unwrapped, type ErrorClass, type FailurePredicate } from '../errors/failure-filter.js';
import { read } from '../errors/http-failure.js';

/** Which failures say "too slow" or "too much": an error class, the `name` or `code` of an error, or a question. */
export type TimeoutError = ErrorClass | string | ((error: unknown) => boolean);

/** `timeoutErrors` of a shield: one, or a list. Our own timeouts and the platform's `TimeoutError` always count. */
export type TimeoutErrors = TimeoutError | readonly TimeoutError[];

/** The option as one question. @throws {ConfigurationError} for what is no class of errors, no name and no function. */
export function compileTimeoutErrors(given: TimeoutErrors | undefined): FailurePredicate {
  const tests = listOf(given).map((entry, index) => testOf(entry, `timeoutErrors[${index}]`));
  return (error) => unwrapped(error).some((one) => isTimeout(one) || tests.some((test) => test(one)));
}

/** A timeout of an inner operation, or of the platform: `AbortSignal.timeout()` rejects with an error of that name. */
function isTimeout(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (isBranded(error, 'OperationTimeoutError')) return read(error, 'scope') !== 'deadline';
  return read(error, 'name') === 'TimeoutError';
}

function listOf(given: TimeoutErrors | undefined): readonly TimeoutError[] {
  if (given === undefined) return [];
  if (typeof given === 'function' || typeof given === 'string') return [given];
  try {
    if (Array.isArray(given)) return Array.from(given as readonly TimeoutError[]);
  } catch {
    // A list that lets nobody look is none.
  }
  return refuseEntry('timeoutErrors', given);
}

function testOf(entry: unknown, option: string): FailurePredicate {
  if (typeof entry === 'string' && entry.trim() !== '') return named(entry.trim());
  if (typeof entry !== 'function') return refuseEntry(option, entry);
  if (isErrorClass(entry))
    return (error) => error instanceof (entry as unknown as ErrorClass & (new () => object));
  if (/^class\b/.test(Function.prototype.toString.call(entry))) return refuseEntry(option, entry);
  return guarded(entry as (error: unknown) => unknown, option);
}

function isErrorClass(fn: object): boolean {
  try {
    return fn === Error || (fn as { prototype?: unknown }).prototype instanceof Error;
  } catch {
    return false;
  }
}

function named(name: string): FailurePredicate {
  return (error) =>
    typeof error === 'object' &&
    error !== null &&
    (read(error, 'name') === name || read(error, 'code') === name);
}

/** A question that throws is answered with no: its own mistake must not hide the failure that it was asked about. */
function guarded(ask: (error: unknown) => unknown, option: string): FailurePredicate {
  let warned = false;
  return (error) => {
    try {
      return ask(error) === true;
    } catch {
      if (!warned)
        process.emitWarning(`${option} threw, so the failure does not match`, { code: 'RELPRIM_FILTER' });
      warned = true;
      return false;
    }
  };
}

/** Says of a value what kind it is, and no more: it may have come from the environment. */
function refuseEntry(option: string, value: unknown): never {
  throw new ConfigurationError({
    option,
    problem: `is ${describeValue(value)}`,
    cure: 'give a class of errors, the name or code of an error, a function (error) => boolean, or a list of them',
  });
}
