/**
 * State that every copy of this package in a process must share, kept on the global object under a versioned key.
 * Only links between objects live here, never settings.
 */
export function globalSlot<T>(name: string, make: () => T): T {
  const key = Symbol.for(`relprim/${name}@1`);
  const globals = globalThis as unknown as Record<symbol, T | undefined>;
  return (globals[key] ??= make());
}
