import { ConfigurationError, located } from '../errors/configuration-error.js';
import type { AnyFunction } from '../operation/settings.js';
import { checkMethodOptions } from './check-method-options.js';
import type { DecoratedMethod, MethodOptions } from './decorated-method.js';
import { findOwner, keyName, memberName, onlyHolder } from './operation-name.js';
import { decoratedMethodOf, notedMethod, noteMethod } from './registry.js';
import { findObservable, writtenReturnType } from './returns.js';
import { wrapMethod } from './wrap-method.js';

/** Which decorator it is that puts an operation in the place of a method. */
export interface Decorating {
  /** As it is written: `@Resilient`. */
  readonly label: string;
  readonly options: MethodOptions;
  readonly allowed?: Parameters<typeof checkMethodOptions>[1];
}

/** What a decorator does with what it stands on, under either kind of decorators. */
export function decorate(
  { label, options, allowed }: Decorating,
  target: unknown,
  place: unknown,
  descriptor?: PropertyDescriptor,
): unknown {
  const decorating = { label, options, allowed };
  if (isStandardContext(place)) return decorateStandard(target, place, decorating);
  // `42() {}` has a number here.
  const key = typeof place === 'number' ? String(place) : (place as string | symbol | undefined);
  return decorateLegacy(target, key, descriptor, decorating);
}

/** @throws {ConfigurationError} for a decorator that was handed the method itself. */
export function refuseBare(label: string, given: readonly unknown[]): never {
  const [target, place] = given;
  const path = isStandardContext(place)
    ? keyName(place.name)
    : memberName(target, place as string | symbol | undefined);
  throw new ConfigurationError({
    option: label,
    problem: 'is written without parentheses',
    cure: `write ${label}() or ${label}({ … })`,
    path,
  });
}

function decorateLegacy(
  target: unknown,
  key: string | symbol | undefined,
  descriptor: PropertyDescriptor | undefined,
  decorating: Decorating,
): void {
  const path = memberName(target, key);
  if (key === undefined || typeof descriptor?.value !== 'function')
    return refusePlace(decorating.label, path);
  const original = descriptor.value as AnyFunction;
  refuseTwice(path, decorating, notedMethod(target as object, key) ?? decoratedMethodOf(original));
  const method = build(path, original, key, decorating, writtenReturnType(target, key));
  descriptor.value = method.wrapper;
  noteMethod(target as object, method);
}

function decorateStandard(value: unknown, context: StandardContext, decorating: Decorating): AnyFunction {
  const path = keyName(context.name);
  if (context.kind !== 'method' || typeof value !== 'function') return refusePlace(decorating.label, path);
  refuseTwice(path, decorating, decoratedMethodOf(value));
  const method = build(path, value as AnyFunction, context.name, decorating);
  if (context.private) return method.wrapper;
  // The class is not there yet; its first instance, or for a static method the class itself, shows where it stands.
  context.addInitializer(function (this: unknown) {
    if (method.declaredOn !== undefined) return;
    const owner = context.static
      ? (this as object)
      : (findOwner(method, this) ?? onlyHolder(context.name, this));
    if (owner !== undefined) noteMethod(owner, method);
  });
  return method.wrapper;
}

function build(
  path: string,
  original: AnyFunction,
  key: string | symbol,
  { label, options, allowed }: Decorating,
  writtenType?: unknown,
): DecoratedMethod {
  return located(path, () => {
    if (isAsyncGenerator(original)) {
      throw new ConfigurationError({
        option: label,
        problem: 'is on a generator',
        cure: 'protect the method that gives the whole result; a stream cannot be repeated once a part of it is out',
      });
    }
    checkMethodOptions(options, allowed);
    return wrapMethod(original, key, Object.freeze({ ...options }), findObservable(options, writtenType));
  });
}

interface StandardContext {
  readonly kind: string;
  readonly name: string | symbol;
  readonly private: boolean;
  readonly static: boolean;
  addInitializer(initializer: (this: unknown) => void): void;
}

function isStandardContext(place: unknown): place is StandardContext {
  return typeof place === 'object' && place !== null && 'kind' in place;
}

/** Four attempts of a shield in each of a retry policy's, or the other way round, are what nobody means. */
function refuseTwice(
  path: string,
  { label, options }: Decorating,
  present: DecoratedMethod | undefined,
): void {
  if (present === undefined || (present.options.shield === undefined) === (options.shield === undefined))
    return;
  throw new ConfigurationError({
    option: label,
    problem: 'is on a method that has @Resilient and @Shielded',
    cure: 'take one of them away: each would repeat the attempts of the other',
    path,
  });
}

function refusePlace(label: string, path: string): never {
  throw new ConfigurationError({
    option: label,
    problem: 'is not on a method',
    cure: 'put it on a method, not on a field, getter, setter or class',
    path: path || undefined,
  });
}

/** Generators only: whether a function is async cannot be told from its class, and need not be. */
function isAsyncGenerator(fn: AnyFunction): boolean {
  return /GeneratorFunction\]$/.test(Object.prototype.toString.call(fn));
}
