import { copyIdentity } from '../operation/copy-identity.js';
import { refusedStart, start } from '../operation/start.js';
import type { AnyFunction } from '../operation/settings.js';
import type { DecoratedMethod, MethodOptions } from './decorated-method.js';
import { boundHandle } from './handle.js';
import { standaloneExecutor } from './method-executor.js';
import { markWrapper, nextMethodIndex } from './registry.js';

/** Puts an operation in the place of a method; to everybody else it stays the method it was. */
export function wrapMethod(
  original: AnyFunction,
  key: string | symbol,
  options: MethodOptions,
): DecoratedMethod {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- a method on purpose: no constructor, with the `this` of its call
  const wrapper = {
    method(this: unknown, ...args: unknown[]): Promise<unknown> {
      return callMethod(method, this, args);
    },
  }.method;
  const method: DecoratedMethod = {
    index: nextMethodIndex(),
    key,
    options,
    original,
    wrapper,
    declaredOn: undefined,
  };
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
    return refusedStart(error);
  }
  return start(plan, self, args, 'value');
}
