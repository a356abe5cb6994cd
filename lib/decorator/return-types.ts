import type { ObservableLike, ValueOf } from '../operation/observable-like.js';
import type { MethodOptions } from './decorated-method.js';

type AnyFn = (this: any, ...args: any[]) => any;
type IsAny<T> = 0 extends 1 & T ? true : false;

/** What the option `returns` may say. */
export type Returns = NonNullable<MethodOptions['returns']>;

/** What a result of type `R` comes to where the method `M` gave it, or a stand-in for it. */
export type Settled<M extends AnyFn, R> =
  IsAny<ReturnType<M>> extends true
    ? Awaited<R>
    : ReturnType<M> extends PromiseLike<unknown>
      ? Awaited<R>
      : ValueOf<R>;

/**
 * What is wrong with the return type of a method, in words; `void` when nothing is. `Said` is what `returns` says of it,
 * `Unsaid` what is wrong where an Observable is not announced.
 */
export type WrongReturn<M extends AnyFn, Said, Unsaid> =
  IsAny<ReturnType<M>> extends true
    ? void
    : ReturnType<M> extends PromiseLike<unknown>
      ? [Said] extends ['observable']
        ? "returns: 'observable' is for methods that return an Observable"
        : void
      : ReturnType<M> extends ObservableLike<any>
        ? [Said] extends ['promise']
          ? "returns: 'promise' is for methods that return a Promise"
          : [Said] extends [undefined]
            ? Unsaid
            : void
        : 'the method must return a Promise or an Observable: make it async';

/** Standard decorators have no way to find it out when the class is defined. */
export type MustBeSaid = "for a method that returns an Observable say returns: 'observable'";
