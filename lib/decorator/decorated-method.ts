import type { PolicyOptions } from '../operation/options.js';
import type { OperationHost } from '../operation/host.js';
import type { AnyFunction, Settings } from '../operation/settings.js';
import type { ObservableFinder } from './returns.js';

/** What `@Shielded` was given. */
export interface ShieldChoice {
  /** The decorator makes one for each operation. */
  readonly isOwn: boolean;
  /** @throws {ConfigurationError} for what makes no shield. */
  check(): void;
  /** The shield of an operation in an application. */
  resolve(operationName: string, host: OperationHost): Settings['shield'];
}

/** What a decorator says of a method: policies, and what concerns methods only. */
export interface MethodOptions extends PolicyOptions {
  /** Names the operation in reports and events. Default: `Class.method` of the class at run time. */
  readonly name?: string | undefined;
  /**
   * What the method rejects with. `'original'` (default): its own error. `'execution-error'`: an
   * `OperationExecutionError` with the report, and the error as its cause.
   */
  readonly throws?: 'original' | 'execution-error' | undefined;
  /**
   * What the method returns: a promise, or an Observable of one value, which then is one call at each subscription.
   * Default: what its return type says where the compiler writes that down (`emitDecoratorMetadata`), else a promise.
   */
  readonly returns?: 'promise' | 'observable' | undefined;
  /** A named policy of the application, laid under these options. `@Resilient('upstream')` is the short form. */
  readonly use?: string | false | undefined;
  /**
   * What `@Shielded` says: the shield that takes the place of retry, timeout and fallback.
   * @internal
   */
  readonly shield?: ShieldChoice | undefined;
}

/** One decorated method, as it was written. What it becomes in an application is the executor's. */
export interface DecoratedMethod {
  /** Numbers decorated methods, so that an executor finds its plan without a search. */
  readonly index: number;
  readonly key: string | symbol;
  readonly options: MethodOptions;
  readonly original: AnyFunction;
  /** What stands in the class in its place. */
  readonly wrapper: AnyFunction;
  /** The class of the Observables that it returns; `undefined` where it returns promises. */
  readonly observable: ObservableFinder | undefined;
  /** The prototype, or for a static method the class, that declares it; unknown at first under standard decorators. */
  declaredOn: object | undefined;
}
