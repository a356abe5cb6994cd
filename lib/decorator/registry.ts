import { globalSlot } from '../errors/global-slot.js';
import type { DecoratedMethod } from './decorated-method.js';
import { acceptHandles } from './handle.js';

type Listener = (prototype: object) => void;

/** Which prototypes have decorated methods. The classes know them; a container asks, and is told of later ones. */
const registry = globalSlot('decorated', () => ({
  methods: new Map<object, Map<string | symbol, DecoratedMethod>>(),
  listeners: new Set<Listener>(),
  count: 0,
}));

export function nextMethodIndex(): number {
  registry.count += 1;
  return registry.count;
}

/** Writes down that a prototype, or a class with a static method, declares a decorated method. The only writer. */
export function noteMethod(owner: object, method: DecoratedMethod): void {
  method.declaredOn = owner;
  let ofOwner = registry.methods.get(owner);
  if (ofOwner === undefined) {
    registry.methods.set(owner, (ofOwner = new Map<string | symbol, DecoratedMethod>()));
    acceptHandles(owner);
    for (const tell of registry.listeners) tell(owner);
  }
  ofOwner.set(method.key, method);
}

/** The decorated method that was noted at a prototype's key, whatever has been put around it since. */
export function notedMethod(owner: object, key: string | symbol): DecoratedMethod | undefined {
  return registry.methods.get(owner)?.get(key);
}

/** Tells a container of every prototype with decorated methods, past and to come. */
export function onDecorated(listener: Listener): void {
  for (const owner of registry.methods.keys()) listener(owner);
  registry.listeners.add(listener);
}

/** All prototypes, and classes with static methods, that declare decorated methods in this process. */
export function decoratedOwners(): Iterable<object> {
  return registry.methods.keys();
}

/** The decorated methods that instances of a class have, inherited ones included, overridden ones not. */
export function decoratedMethodsOf(prototype: object | null): readonly DecoratedMethod[] {
  const found = new Map<string | symbol, DecoratedMethod | undefined>();
  for (
    let link = prototype;
    link !== null && link !== Object.prototype;
    link = Object.getPrototypeOf(link) as object | null
  ) {
    for (const key of Reflect.ownKeys(link))
      if (!found.has(key)) found.set(key, decoratedMethodAt(link, key));
  }
  return [...found.values()].filter((method) => method !== undefined);
}

const MARK = Symbol.for('relprim/resilient');

export function markWrapper(method: DecoratedMethod): void {
  Object.defineProperty(method.wrapper, MARK, { value: method, enumerable: false });
}

/** What a function is as a decorated method, if it is one. */
export function decoratedMethodOf(fn: unknown): DecoratedMethod | undefined {
  return typeof fn === 'function' ? (fn as { [MARK]?: DecoratedMethod })[MARK] : undefined;
}

/** What stands at a prototype's key, also when another decorator has wrapped ours. */
function decoratedMethodAt(owner: object, key: string | symbol): DecoratedMethod | undefined {
  return (
    registry.methods.get(owner)?.get(key) ??
    decoratedMethodOf(Object.getOwnPropertyDescriptor(owner, key)?.value)
  );
}
