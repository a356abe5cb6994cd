import { MisuseError } from '../errors/misuse-error.js';
import { isObservable } from './observable-like.js';

/** Whether a value must be awaited. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (value instanceof Promise) return true;
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/** Gives back a value that is no rxjs Observable, nor looks like one. @throws {MisuseError} for one that nobody announced. */
export function refuseObservable(value: unknown, operationName: string): unknown {
  if (!isObservable(value)) return value;
  throw new MisuseError(
    `${operationName} returned an Observable that nobody announced; add returns: 'observable' to the options of @Resilient(), ` +
      'or give back a promise, for example with firstValueFrom()',
  );
}
