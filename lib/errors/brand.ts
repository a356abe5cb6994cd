/** Recognises our errors across two copies of this package: a bundler, or `import` beside `require`, may load both. */
const BRAND = Symbol.for('relprim/error');

type AnyClass = abstract new (...args: never[]) => Error;

/** The names of an error class of ours and of those it extends, the nearest last. */
type Brand = readonly string[];

/**
 * Gives an error class its stable name and code, and an `instanceof` that also accepts the same class of another
 * copy of this package. Called once, beside the class.
 */
export function brandError(errorClass: AnyClass, name: string, code: string): void {
  const fixed = <T>(value: T) => ({ value, enumerable: false, writable: true, configurable: true });
  const brand: Brand = [...(brandOf(errorClass.prototype as object) ?? []), name];
  Object.defineProperties(errorClass.prototype, {
    [BRAND]: fixed(brand),
    name: fixed(name),
    code: fixed(code),
  });
  Object.defineProperty(errorClass, Symbol.hasInstance, { value: isInstance, configurable: true });
}

/** Whether a value is an error of ours with this name, from whichever copy of the package. */
export function isBranded(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && brandOf(value)?.includes(name) === true;
}

function isInstance(this: AnyClass, value: unknown): boolean {
  const prototype = this.prototype as object;
  if (typeof value !== 'object' || value === null) return false;
  if (Object.prototype.isPrototypeOf.call(prototype, value)) return true;
  // A subclass that an application derived has no brand of its own, and only its own instances.
  const own = Object.hasOwn(prototype, BRAND) ? brandOf(prototype)?.at(-1) : undefined;
  return own !== undefined && isBranded(value, own);
}

function brandOf(value: object): Brand | undefined {
  try {
    return (value as { readonly [BRAND]?: Brand })[BRAND];
  } catch {
    // Somebody threw a proxy that lets nobody look; it is none of ours.
    return undefined;
  }
}

/** Makes an error without the cost of a stack trace, for refusals that say nothing about where they were made. */
export function withoutStack<E extends Error>(make: () => E): E {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = limit;
  }
}
