import { ConfigurationError, located } from '../errors/configuration-error.js';
import type { AnyFunction } from '../operation/settings.js';
import { checkMethodOptions } from './check-method-options.js';
import type { DecoratedMethod, MethodOptions } from './decorated-method.js';
import { findOwner, keyName, memberName, onlyHolder } from './operation-name.js';
import { noteMethod } from './registry.js';
import type { Returns } from './return-types.js';
import { findObservable, writtenReturnType } from './returns.js';
import type {
  BreakerSelector,
  FallbackFn,
  KeySelector,
  ResilientDecorator,
  ResilientOptions,
  SignalSelector,
} from './types.js';
import { wrapMethod } from './wrap-method.js';

/**
 * Runs a method under a reliability policy: `@Resilient({ retries: 3, timeout: '10s', circuitBreaker: 'payments' })`.
 *
 * The method keeps its signature, its value and its errors; the account of a call is one step away with `resultOf` and
 * `reportOf`. Works under `experimentalDecorators` and under standard decorators. `@Resilient('upstream')` takes its
 * policies from the application alone, by the name that the module gave them.
 * @throws {ConfigurationError} while the class is being defined, for options that cannot work.
 */
export function Resilient<
  const F extends string | FallbackFn = FallbackFn,
  S extends SignalSelector = SignalSelector,
  B extends BreakerSelector = BreakerSelector,
  const R extends Returns | undefined = undefined,
  K extends KeySelector = KeySelector,
>(options?: ResilientOptions<F, S, B, R, K> | string): ResilientDecorator<F, S, B, R, K>;
export function Resilient(...given: unknown[]): unknown {
  const [options = {}] = given;
  if (given.length > 1 || typeof options === 'function') {
    const [target, place] = given;
    const path = isStandardContext(place)
      ? keyName(place.name)
      : memberName(target, place as string | symbol | undefined);
    throw new ConfigurationError({
      option: '@Resilient',
      problem: 'is written without parentheses',
      cure: 'write @Resilient() or @Resilient({ … })',
      path,
    });
  }
  return (target: unknown, place: unknown, descriptor?: PropertyDescriptor) => {
    const said = (typeof options === 'string' ? { use: options } : options) as MethodOptions;
    if (isStandardContext(place)) return decorateStandard(target, place, said);
    // `42() {}` has a number here.
    const key = typeof place === 'number' ? String(place) : (place as string | symbol | undefined);
    return decorateLegacy(target, key, descriptor, said);
  };
}

function decorateLegacy(
  target: unknown,
  key: string | symbol | undefined,
  descriptor: PropertyDescriptor | undefined,
  options: MethodOptions,
): void {
  const path = memberName(target, key);
  if (key === undefined || typeof descriptor?.value !== 'function') return refusePlace(path);
  const original = descriptor.value as AnyFunction;
  const method = build(path, original, key, options, writtenReturnType(target, key));
  descriptor.value = method.wrapper;
  noteMethod(target as object, method);
}

function decorateStandard(value: unknown, context: StandardContext, options: MethodOptions): AnyFunction {
  const path = keyName(context.name);
  if (context.kind !== 'method' || typeof value !== 'function') return refusePlace(path);
  const method = build(path, value as AnyFunction, context.name, options);
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
  options: MethodOptions,
  writtenType?: unknown,
): DecoratedMethod {
  return located(path, () => {
    if (isAsyncGenerator(original)) {
      throw new ConfigurationError({
        option: '@Resilient',
        problem: 'is on a generator',
        cure: 'protect the method that gives the whole result; a stream cannot be repeated once a part of it is out',
      });
    }
    checkMethodOptions(options);
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

function refusePlace(path: string): never {
  throw new ConfigurationError({
    option: '@Resilient',
    problem: 'is not on a method',
    cure: 'put it on a method, not on a field, getter, setter or class',
    path: path || undefined,
  });
}

/** Generators only: whether a function is async cannot be told from its class, and need not be. */
function isAsyncGenerator(fn: AnyFunction): boolean {
  return /GeneratorFunction\]$/.test(Object.prototype.toString.call(fn));
}
