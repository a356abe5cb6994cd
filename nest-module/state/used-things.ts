import type { Named } from '../named/kind.js';

/** A shield or a concurrency limit of an application, and the operations that it guards. */
export interface Used<T> {
  readonly thing: T;
  /** What it is registered under, which is not always its own; its own where it belongs to methods. */
  readonly name: string;
  readonly operations: readonly string[];
}

interface Registry<T> {
  names(): readonly string[];
  get(name: string): T;
}

/** The registered things, in their order, and then those that only methods have. */
export function usedThings<T extends Named>(
  registry: Registry<T>,
  used: Iterable<readonly [operationName: string, thing: T]>,
): readonly Used<T>[] {
  const found = new Map<T, Used<T> & { readonly operations: string[] }>();
  const entry = (thing: T, name: string): string[] => {
    const known = found.get(thing);
    if (known !== undefined) return known.operations;
    const operations: string[] = [];
    found.set(thing, { thing, name, operations });
    return operations;
  };
  for (const name of registry.names()) entry(registry.get(name), name);
  for (const [operationName, thing] of used) entry(thing, thing.name).push(operationName);
  return [...found.values()];
}
