/** Recognises our errors across two copies of this package: a bundler, or `import` beside `require`, may load both. */
const BRAND = Symbol.for('relprim/error');

type AnyClass = abstract new (...args: never[]) => Error;

/**
 * Gives an error class its stable name and code, and an `instanceof` that also accepts the same class of another
 * copy of this package. Called once, beside the class.
 */
export function brandError(errorClass: AnyClass, name: string, code: string): void {
  const fixed = (value: string) => ({ value, enumerable: false, writable: true, configurable: true });
  Object.defineProperties(errorClass.prototype, {
    [BRAND]: fixed(name),
    name: fixed(name),
    code: fixed(code),
  });
  Object.defineProperty(errorClass, Symbol.hasInstance, { value: isInstance, configurable: true });
}

/** Whether a value is an error of ours with this name, from whichever copy of the package. */
export function isBranded(value: unknown, name: string): boolean {
  for (
    let link: object | null = asObject(value);
    link !== null;
    link = Object.getPrototypeOf(link) as object | null
  ) {
    if (Object.hasOwn(link, BRAND) && (link as Record<symbol, unknown>)[BRAND] === name) return true;
  }
  return false;
}

function isInstance(this: AnyClass, value: unknown): boolean {
  const prototype = this.prototype as object;
  const object = asObject(value);
  if (object === null) return false;
  if (Object.prototype.isPrototypeOf.call(prototype, object)) return true;
  // A subclass that an application derived has no brand of its own, and only its own instances.
  if (!Object.hasOwn(prototype, BRAND)) return false;
  return isBranded(object, (prototype as Record<symbol, string>)[BRAND] as string);
}

function asObject(value: unknown): object | null {
  return typeof value === 'object' ? value : null;
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
