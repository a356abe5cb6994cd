import type { AnyFunction } from './settings.js';

interface MetadataReflection {
  getOwnMetadataKeys?(target: object): unknown[];
  getOwnMetadata?(key: unknown, target: object): unknown;
  defineMetadata?(key: unknown, value: unknown, target: object): void;
}

/** What belongs to one function only. */
const OWN_TO_EACH = new Set<string | symbol>(['prototype', 'arguments', 'caller']);

/** Name, length, properties and metadata: a role guard, a route or a schedule finds what it looks for. */
export function copyIdentity(from: AnyFunction, to: AnyFunction): void {
  for (const key of Reflect.ownKeys(from)) {
    const descriptor = Object.getOwnPropertyDescriptor(from, key);
    if (descriptor !== undefined && !OWN_TO_EACH.has(key))
      Object.defineProperty(to, key, { ...descriptor, configurable: true });
  }
  const reflect = Reflect as MetadataReflection;
  for (const key of reflect.getOwnMetadataKeys?.(from) ?? []) {
    reflect.defineMetadata?.(key, reflect.getOwnMetadata?.(key, from), to);
  }
}
