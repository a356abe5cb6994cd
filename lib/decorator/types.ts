import type { CircuitBreaker } from '../policies/circuit-breaker/circuit-breaker.js';
import type { StandardSchemaLike } from '../policies/validation/standard-schema.js';
import type { Validator } from '../policies/validation/validator.js';
import type { MethodOptions } from './decorated-method.js';
import type { MustBeSaid, Returns, Settled, WrongReturn } from './return-types.js';

type AnyFn = (this: any, ...args: any[]) => any;

/** Named in the compiler's message; never exists at run time. */
export interface ResilientTypeError<Message extends string> {
  readonly '~relprim': Message;
}

type Ok = void;
/** An interface, not a tuple: `[T] extends [U]` is deferred for a class's own type parameters, this is decided. */
interface Box<out T> {
  readonly box: T;
}
/** Whether `F` may stand in for `M`: fewer or wider parameters are fine, and so is a narrower result. */
type StandIn<F, M extends AnyFn, What extends string> = F extends (this: any, ...args: any[]) => infer R
  ? F extends (this: any, ...args: Parameters<M>) => any
    ? Box<Settled<M, R>> extends Box<Settled<M, ReturnType<M>>>
      ? Ok
      : ResilientTypeError<`${What} must resolve to what the method resolves to`>
    : ResilientTypeError<`${What} must accept the method's own parameters`>
  : ResilientTypeError<`${What} is not a method`>;

type CheckFallback<F, T, M extends AnyFn> = [FallbackFn] extends [F]
  ? Ok // not given, or given by a widened options object: checked when the application starts
  : string extends F
    ? Ok
    : F extends string
      ? F extends keyof T
        ? StandIn<T[F], M, `fallback '${F}'`>
        : ResilientTypeError<`fallback '${F}' is not a public method of this class. For a private one write fallback(this: TheClass, ...args) { return this.${F}(...args) }`>
      : F extends AnyFn
        ? unknown extends ThisParameterType<F>
          ? StandIn<F, M, 'the fallback function'>
          : T extends ThisParameterType<F>
            ? StandIn<F, M, 'the fallback function'>
            : ResilientTypeError<"the fallback's this is not this class">
        : Ok;

/** A selector must accept the method's own parameters, and its `this`. */
type CheckSelector<S, T, M extends AnyFn, Option extends string> = S extends AnyFn
  ? S extends (this: any, ...args: Parameters<M>) => any
    ? unknown extends ThisParameterType<S>
      ? Ok
      : T extends ThisParameterType<S>
        ? Ok
        : ResilientTypeError<`this of ${Option} is not this class`>
    : ResilientTypeError<`${Option} must accept the method's own parameters`>
  : Ok;

/** `void` is nothing to say. */
type Verdict<V> = Exclude<V, void>;
type First<A, B, C, D> = [Verdict<A>] extends [never]
  ? [Verdict<B>] extends [never]
    ? [Verdict<C>] extends [never]
      ? [Verdict<D>] extends [never]
        ? void
        : Verdict<D>
      : Verdict<C>
    : Verdict<B>
  : Verdict<A>;

type Misplaced = 'the decorator goes on a method, not on a field, getter, setter or class';

type Check<T, M, F, S, B, R, K, Unsaid = void> = M extends AnyFn
  ? WrongReturn<M, R, Unsaid> extends string
    ? ResilientTypeError<WrongReturn<M, R, Unsaid>>
    : First<
        CheckFallback<F, T, M>,
        CheckSelector<S, T, M, 'signal'>,
        CheckSelector<B, T, M, 'circuitBreaker'>,
        CheckSelector<K, T, M, 'idempotencyKey'>
      >
  : ResilientTypeError<Misplaced>;

/** Method syntax on purpose: bivariant, so `(order: Order) => …` fits, while an unannotated parameter is `unknown`. */
type Selector<R> = { select(this: any, ...args: unknown[]): R }['select'];
/** Finds the caller's signal among the arguments or on the instance. */
export type SignalSelector = Selector<AbortSignal | undefined>;
/** The name of a circuit breaker of the application, and what its calls are kept apart by. */
export interface KeyedBreaker {
  readonly name: string;
  readonly key: Selector<string>;
}
/** Finds the circuit breaker, or its name, for one call. */
export type BreakerSelector = Selector<string | CircuitBreaker>;
/** Finds the idempotency key of one call. */
export type KeySelector = Selector<string>;
/** Asks about the value of a call, at once or later. */
type Question = { ask(value: unknown): boolean | PromiseLike<boolean> }['ask'];
type ValueCheck = Question | Validator | StandardSchemaLike;
/** Stands in for the method: same arguments, same result. */
export type FallbackFn = Selector<unknown>;

/** Options of `@Resilient`. Functions are called with the instance as `this` and the arguments of the call. */
export interface ResilientOptions<
  F extends string | FallbackFn = string | FallbackFn,
  S extends SignalSelector = SignalSelector,
  B extends BreakerSelector = BreakerSelector,
  R extends Returns | undefined = Returns | undefined,
  K extends KeySelector = KeySelector,
> extends Omit<
  MethodOptions,
  'fallback' | 'signal' | 'circuitBreaker' | 'idempotencyKey' | 'validate' | 'returns'
> {
  /** A stand-in for a failed call: another method of this class by name, or a function. */
  readonly fallback?: F | false | undefined;
  /** The caller's signal: an abort ends the call at once, with the signal's reason. */
  readonly signal?: S | AbortSignal | undefined;
  /**
   * The name of a circuit breaker of the application, with a key where each tenant or host is to have its own; a
   * breaker; or a function that finds either for a call.
   */
  readonly circuitBreaker?: string | CircuitBreaker | KeyedBreaker | B | false | undefined;
  /** Finds the key of a call: calls with one key are one execution, and later ones are given what came of it. */
  readonly idempotencyKey?: K | undefined;
  /** Checks of the value: a question, a validator, a Standard Schema, or a list of them. */
  readonly validate?: ValueCheck | readonly ValueCheck[] | false | undefined;
  /**
   * What the method returns: a promise, or an Observable of one value, which then is one call at each subscription.
   * Default: what its return type says where the compiler writes that down (`emitDecoratorMetadata`), else a promise.
   */
  readonly returns?: R | undefined;
}

/** The verdict on options and place travels in the return type, so that one overload always matches and a mistake is one line. */
export interface ResilientDecorator<F, S, B, R = undefined, K = KeySelector> {
  /** `experimentalDecorators`, on methods: three arguments. */
  <T, D>(
    target: T,
    key: unknown,
    descriptor: D,
  ): D extends TypedPropertyDescriptor<infer M> ? Check<T, M, F, S, B, R, K> : ResilientTypeError<Misplaced>;
  /** Standard decorators: the context tells the class, so that a fallback's name is checked too. All wrong places come here. */
  <M, C>(
    method: M,
    context?: C,
  ): C extends ClassMethodDecoratorContext<infer T, any>
    ? Check<T, M, F, S, B, R, K, MustBeSaid>
    : ResilientTypeError<Misplaced>;
}
