import type { DecoratedMethod } from './decorated-method.js';

/**
 * The name of a method's operation: its own, or `Class.method` with the class of the instance, so that a base client
 * under five hosts has five names. A layer that was reached through `super` goes by the class that declares it.
 */
export function operationName(method: DecoratedMethod, instance: unknown): string {
  if (method.options.name !== undefined) return method.options.name;
  const owner = findOwner(method, instance);
  const name = className(owner === undefined || isOverridden(method, instance) ? (method.declaredOn ?? owner) : instance);
  return name === undefined ? keyName(method.key) : `${name}.${keyName(method.key)}`;
}

/** The prototype or class on the instance's chain that has this method. */
export function findOwner(method: DecoratedMethod, instance: unknown): object | undefined {
  for (const link of chainOf(instance)) {
    if (link === method.declaredOn) return link;
    if (Object.getOwnPropertyDescriptor(link, method.key)?.value === method.wrapper) return link;
  }
  return undefined;
}

/** Whether something nearer to the instance has taken the method's place and calls it through `super`. */
function isOverridden(method: DecoratedMethod, instance: unknown): boolean {
  const owner = findOwner(method, instance);
  for (const link of chainOf(instance)) {
    if (link === owner) return false;
    if (link !== instance && Object.hasOwn(link, method.key)) return true;
  }
  return false;
}

function* chainOf(instance: unknown): Generator<object> {
  if ((typeof instance !== 'object' || instance === null) && typeof instance !== 'function') return;
  for (let link: object | null = instance; link !== null; link = Object.getPrototypeOf(link) as object | null) yield link;
}

function className(instance: unknown): string | undefined {
  const found: unknown = typeof instance === 'function' ? instance.name : (instance as object | undefined)?.constructor.name;
  return typeof found === 'string' && found !== '' ? found : undefined;
}

export function keyName(key: string | symbol): string {
  return typeof key === 'symbol' ? `[${key.description ?? ''}]` : key;
}
