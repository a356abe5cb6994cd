import { located } from '../errors/configuration-error.js';
import { copyIdentity } from '../operation/copy-identity.js';
import { takeRefusal, type Refusal } from '../operation/kinds.js';
import type { ObservableClass } from '../operation/observable-class.js';
import type { ObservableLike } from '../operation/observable-like.js';
import { operationObservable } from '../operation/observable-operation.js';
import type { Plan } from '../operation/plan.js';
import { callOf, refusedStart, start } from '../operation/start.js';
import type { AnyFunction } from '../operation/settings.js';
import type { DecoratedMethod, MethodOptions } from './decorated-method.js';
import { boundHandle } from './handle.js';
import { standaloneExecutor } from './method-executor.js';
import { operationName } from './operation-name.js';
import { markWrapper, nextMethodIndex } from './registry.js';
import type { ObservableFinder } from './returns.js';

/** Puts an operation in the place of a method; to everybody else it stays the method it was. */
export function wrapMethod(
  original: AnyFunction,
  key: string | symbol,
  options: MethodOptions,
  observable: ObservableFinder | undefined,
): DecoratedMethod {
  // Methods on purpose: no constructors, with the `this` of their call.
  /* eslint-disable @typescript-eslint/unbound-method */
  const wrapper =
    observable === undefined
      ? {
          method(this: unknown, ...args: unknown[]): Promise<unknown> {
            return callMethod(method, this, args);
          },
        }.method
      : {
          method(this: unknown, ...args: unknown[]): ObservableLike<unknown> {
            return observeMethod(method, observable, this, args);
          },
        }.method;
  /* eslint-enable @typescript-eslint/unbound-method */
  const method: DecoratedMethod = {
    index: nextMethodIndex(),
    key,
    options,
    original,
    wrapper,
    observable,
    declaredOn: undefined,
  };
  copyIdentity(original, wrapper);
  markWrapper(method);
  return method;
}

function callMethod(method: DecoratedMethod, self: unknown, args: readonly unknown[]): Promise<unknown> {
  let plan;
  try {
    plan = planOf(method, self);
  } catch (error) {
    return refusedStart(error);
  }
  const promise = start(plan, self, args, 'value');
  const refusal = takeRefusal();
  if (refusal !== undefined) throwRefusal(promise, refusal);
  return promise;
}

/** Whoever expects an Observable would look for `subscribe` or `pipe` on the promise, and never see its rejection. */
function throwRefusal(promise: Promise<unknown>, { sequence, error }: Refusal): void {
  if (callOf(promise)?.sequence !== sequence) return;
  promise.catch(() => undefined);
  throw error;
}

/** Where it runs is found at each subscription: a container may have adopted the instance meanwhile. */
function observeMethod(
  method: DecoratedMethod,
  observable: ObservableFinder,
  self: unknown,
  args: readonly unknown[],
): ObservableLike<unknown> {
  return operationObservable(classOf(method, observable, self), () => planOf(method, self), self, args);
}

function planOf(method: DecoratedMethod, self: unknown): Plan {
  return (boundHandle(self)?.current ?? standaloneExecutor).planFor(method, self);
}

/** Says of a mistake where it stands; the name is not found out without one. */
function classOf(method: DecoratedMethod, observable: ObservableFinder, self: unknown): ObservableClass {
  try {
    return observable();
  } catch {
    return located(operationName(method, self), observable);
  }
}
