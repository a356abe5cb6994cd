import { MisuseError } from '../errors/misuse-error.js';

/** Whether a value must be awaited. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (value instanceof Promise) return true;
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/** Gives back a value that is no rxjs Observable, nor looks like one: rxjs itself is not imported here. */
export function refuseObservable(value: unknown, operationName: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { subscribe, pipe } = value as { subscribe?: unknown; pipe?: unknown };
  if (typeof subscribe !== 'function' || typeof pipe !== 'function') return value;
  throw new MisuseError(
    `${operationName} returned an Observable; give back a promise, for example with firstValueFrom()`,
  );
}
