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

/** A call that was refused because of what its method returned. */
export interface Refusal {
  readonly sequence: number;
  readonly error: MisuseError;
}
let latest: Refusal | undefined;

/** Gives back a value that is no rxjs Observable, nor looks like one. @throws {MisuseError} for one that nobody announced. */
export function refuseObservable(
  value: unknown,
  { operationName, sequence }: { readonly operationName: string; readonly sequence: number },
): unknown {
  if (!isObservable(value)) return value;
  const error = new MisuseError(
    `${operationName} returned an Observable that nobody announced; add returns: 'observable' to the options of its decorator, ` +
      'or give back a promise, for example with firstValueFrom()',
  );
  latest = { sequence, error };
  throw error;
}

/** The latest such refusal, for whoever still waits for the method itself to return; only once. */
export function takeRefusal(): Refusal | undefined {
  if (latest === undefined) return undefined;
  const taken = latest;
  latest = undefined;
  return taken;
}
