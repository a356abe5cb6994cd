type AnyFunction = (this: any, ...args: any[]) => unknown;

/**
 * Which functions a shield has called under which name. The key of a cached value has the name in it, so that a name
 * which two functions share, or which nobody gave, is no key: each would be answered with the values of the other.
 */
export class CalledFunctions {
  /** `null` for a name that tells no function from another. */
  private readonly byName = new Map<string, WeakRef<AnyFunction> | null>();

  /** Notes a function; gives what its calls are named by. */
  nameOf(fn: AnyFunction, otherwise: string): string {
    if (fn.name.trim() !== '') {
      this.note(fn.name, fn);
      return fn.name;
    }
    this.byName.set(otherwise, null);
    return otherwise;
  }

  /** Notes what is called by a name. */
  note(name: string, fn: AnyFunction): void {
    const known = this.byName.get(name);
    if (known === undefined) this.byName.set(name, new WeakRef(fn));
    else if (known?.deref() !== fn) this.byName.set(name, null);
  }

  /** Whether the name stands for one function only. */
  tellsApart(name: string): boolean {
    return this.byName.get(name) !== null;
  }
}
