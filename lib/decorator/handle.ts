import type { MethodExecutor } from './method-executor.js';

/**
 * A place that a container fills with its executor. Decorated methods depend on this, never on the executor itself, so
 * that an executor may depend on classes with decorated methods.
 */
export interface ExecutorHandle {
  current?: MethodExecutor | undefined;
}

/** The property, and in a container the token, under which an instance is handed its handle. */
export const EXECUTOR_HANDLE = Symbol.for('relprim/executor-handle');

const BRAND = Symbol.for('relprim/handle-brand');
const BOUND = Symbol.for('relprim/bound-handle');
/** Handles of instances that froze themselves. */
const frozen = new WeakMap<object, ExecutorHandle>();
let anyFrozen = false;

/** An empty handle, which a container fills when it has an executor. */
export function createHandle(): ExecutorHandle {
  return Object.defineProperty({}, BRAND, { value: true });
}

/** A test's container hands out mocks for what it lacks: one that has every property is still no handle. */
function isHandle(value: unknown): value is ExecutorHandle {
  return (value as { [BRAND]?: unknown } | undefined)?.[BRAND] === true;
}

/** Lets a prototype's instances be handed a handle, by assignment, without a trace in keys, JSON or copies. */
export function acceptHandles(prototype: object): void {
  // A frozen prototype has no room for it; `bindHandle` reaches its instances all the same.
  if (Object.hasOwn(prototype, EXECUTOR_HANDLE) || !Object.isExtensible(prototype)) return;
  Object.defineProperty(prototype, EXECUTOR_HANDLE, {
    configurable: true,
    enumerable: false,
    get: handleOf,
    set(this: object, handle: unknown) {
      if (isHandle(handle)) bindHandle(this, handle);
    },
  });
}

export function bindHandle(instance: object, handle: ExecutorHandle): void {
  if (Object.isExtensible(instance)) {
    Object.defineProperty(instance, BOUND, {
      value: handle,
      enumerable: false,
      configurable: true,
      writable: true,
    });
  } else {
    frozen.set(instance, handle);
    anyFrozen = true;
  }
}

/** The handle of an instance; copies made with `Object.create` and proxies find that of their original. */
function handleOf(this: unknown): ExecutorHandle | undefined {
  return boundHandle(this);
}

export function boundHandle(instance: unknown): ExecutorHandle | undefined {
  const bound = (instance as { [BOUND]?: ExecutorHandle } | null | undefined)?.[BOUND];
  return bound === undefined && anyFrozen && typeof instance === 'object' && instance !== null
    ? frozen.get(instance)
    : bound;
}
