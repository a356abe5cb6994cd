import type { ModulesContainer } from '@nestjs/core';
import { decoratedMethodsOf, type DecoratedMethod } from '../../lib/container.js';

/** A class of the application with decorated methods. */
export interface DecoratedClass {
  readonly methods: readonly DecoratedMethod[];
  /** Its one instance, where there is one; for scoped classes an object of the class that was never constructed. */
  readonly instance: object;
  readonly isSingleton: boolean;
  readonly wrapper: Wrapper;
}

/** What Nest knows of a provider; the package does not export its type. */
export type Wrapper =
  ReturnType<ModulesContainer['values']> extends Iterable<infer M>
    ? M extends { providers: Map<unknown, infer W> }
      ? W
      : never
    : never;

/** All classes with decorated methods among providers, controllers, guards, interceptors, pipes, filters and middleware. */
export function* decoratedClasses(modules: ModulesContainer): Generator<DecoratedClass> {
  const seen = new Set<object>();
  for (const { providers, controllers, injectables, middlewares } of modules.values()) {
    for (const wrappers of [providers, controllers, injectables, middlewares]) {
      for (const wrapper of wrappers.values()) {
        const found = decoratedClass(wrapper);
        if (found === undefined || seen.has(found.instance)) continue;
        seen.add(found.instance);
        yield found;
      }
    }
  }
}

/** The wrapper of the first provider with this token. */
export function findWrapper(modules: ModulesContainer, token: symbol): Wrapper {
  for (const { providers } of modules.values()) {
    const wrapper = providers.get(token);
    if (wrapper !== undefined) return wrapper;
  }
  throw new TypeError(`no provider of ${String(token)}`);
}

function decoratedClass(wrapper: Wrapper): DecoratedClass | undefined {
  const isSingleton = wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
  const instance: unknown = isSingleton ? wrapper.instance : standIn(wrapper.metatype);
  if (typeof instance !== 'object' || instance === null) return undefined;
  // Not the instance's own properties: a constructor may have bound a method, and a value may be a large buffer.
  const methods = decoratedMethodsOf(Object.getPrototypeOf(instance) as object | null);
  return methods.length === 0 ? undefined : { methods, instance, isSingleton, wrapper };
}

/** Enough of an instance to know its class; a factory's product has none before it is made. */
function standIn(metatype: unknown): object | undefined {
  if (typeof metatype !== 'function') return undefined;
  const prototype: unknown = metatype.prototype;
  return typeof prototype === 'object' && prototype !== null
    ? (Object.create(prototype) as object)
    : undefined;
}
