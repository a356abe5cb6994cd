/** Whether a value must be awaited. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (value instanceof Promise) return true;
  return (typeof value === 'object' || typeof value === 'function') && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Whether a value is an rxjs Observable, or looks like one: rxjs itself is not imported here. */
export function isObservable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { subscribe, pipe } = value as { subscribe?: unknown; pipe?: unknown };
  return typeof subscribe === 'function' && typeof pipe === 'function';
}
