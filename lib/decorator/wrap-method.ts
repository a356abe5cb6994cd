import { start } from '../operation/start.js';
import type { AnyFunction } from '../operation/settings.js';
import type { DecoratedMethod, MethodOptions } from './decorated-method.js';
import { boundHandle } from './handle.js';
import { standaloneExecutor } from './method-executor.js';
import { markWrapper, nextMethodIndex } from './registry.js';

/** Puts an operation in the place of a method; to everybody else it stays the method it was. */
export function wrapMethod(original: AnyFunction, key: string | symbol, options: MethodOptions): DecoratedMethod {
  const wrapper = {
    method(this: unknown, ...args: unknown[]): Promise<unknown> {
      return callMethod(method, this, args);
    },
  }.method;
  const method: DecoratedMethod = { index: nextMethodIndex(), key, options, original, wrapper, declaredOn: undefined };
  copyIdentity(original, wrapper);
  markWrapper(method);
  return method;
}

function callMethod(method: DecoratedMethod, self: unknown, args: readonly unknown[]): Promise<unknown> {
  const executor = boundHandle(self)?.current ?? standaloneExecutor;
  let plan;
  try {
    plan = executor.planFor(method, self);
  } catch (error) {
    return Promise.reject(error as Error);
  }
  return start(plan, self, args, 'value');
}

interface MetadataReflection {
  getOwnMetadataKeys?(target: object): unknown[];
  getOwnMetadata?(key: unknown, target: object): unknown;
  defineMetadata?(key: unknown, value: unknown, target: object): void;
}

/** What belongs to one function only. */
const OWN_TO_EACH = new Set<string | symbol>(['prototype', 'arguments', 'caller']);

/** Name, length, properties and metadata: a role guard, a route or a schedule finds what it looks for. */
function copyIdentity(from: AnyFunction, to: AnyFunction): void {
  for (const key of Reflect.ownKeys(from)) {
    const descriptor = Object.getOwnPropertyDescriptor(from, key);
    if (descriptor !== undefined && !OWN_TO_EACH.has(key)) Object.defineProperty(to, key, { ...descriptor, configurable: true });
  }
  const reflect = Reflect as MetadataReflection;
  for (const key of reflect.getOwnMetadataKeys?.(from) ?? []) {
    reflect.defineMetadata?.(key, reflect.getOwnMetadata?.(key, from), to);
  }
}
