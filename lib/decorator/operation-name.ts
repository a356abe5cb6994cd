import type { DecoratedMethod } from './decorated-method.js';

/**
 * The name of a method's operation: its own, or `Class.method` with the class of the instance, so that a base client
 * under five hosts has five names. A layer that was reached through `super` goes by the class that declares it.
 */
export function operationName(method: DecoratedMethod, instance: unknown): string {
  if (method.options.name !== undefined) return method.options.name;
  return memberName(isReached(method, instance) ? instance : (method.declaredOn ?? instance), method.key);
}

/** `Class.member` of a class, a prototype or an instance; what there is of it, where a part has no name. */
export function memberName(owner: unknown, key: string | symbol | undefined): string {
  const found: unknown = typeof owner === 'function' ? owner.name : (owner as AnyObject)?.constructor?.name;
  const parts = [found, key === undefined ? undefined : keyName(key)];
  return parts.filter((part) => typeof part === 'string' && part !== '').join('.');
}

type AnyObject = { readonly constructor?: { readonly name?: unknown } } | null | undefined;

/** The prototype or class on the instance's chain that has this method. */
export function findOwner(method: DecoratedMethod, instance: unknown): object | undefined {
  for (const link of chainOf(instance)) {
    if (link === method.declaredOn) return link;
    if (Object.getOwnPropertyDescriptor(link, method.key)?.value === method.wrapper) return link;
  }
  return undefined;
}

/** The one prototype on the instance's chain that has something at this key, also when another decorator wrapped ours. */
export function onlyHolder(key: string | symbol, instance: unknown): object | undefined {
  const holders = [...chainOf(instance)].filter((link) => link !== instance && Object.hasOwn(link, key));
  return holders.length === 1 ? holders[0] : undefined;
}

/** Whether the method is what its key gives, and nothing nearer to the instance calls it through `super`. */
function isReached(method: DecoratedMethod, instance: unknown): boolean {
  for (const link of chainOf(instance)) {
    if (link === method.declaredOn) return true;
    const own = Object.getOwnPropertyDescriptor(link, method.key);
    if (own === undefined) continue;
    if (own.value === method.wrapper) return true;
    if (link !== instance) return false;
  }
  return false;
}

function* chainOf(instance: unknown): Generator<object> {
  if ((typeof instance !== 'object' || instance === null) && typeof instance !== 'function') return;
  for (let link: object | null = instance; link !== null; link = Object.getPrototypeOf(link) as object | null)
    yield link;
}

export function keyName(key: string | symbol): string {
  return typeof key === 'symbol' ? `[${key.description ?? ''}]` : key;
}
