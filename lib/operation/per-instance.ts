/** Makes one for each instance that asks, and one for all that are none: functions, and static callers. */
export function perInstance<T>(make: () => T): (instance: unknown) => T {
  const made = new WeakMap<object, T>();
  let shared: T | undefined;
  return (instance) => {
    const isOwner = (typeof instance === 'object' && instance !== null) || typeof instance === 'function';
    if (!isOwner) return (shared ??= make());
    let own = made.get(instance);
    if (own === undefined) made.set(instance, (own = make()));
    return own;
  };
}
