import type { EventEmitter } from '../events/event-emitter.js';
import type { CircuitBreaker } from '../policies/circuit-breaker/circuit-breaker.js';
import type { FallbackChain } from '../policies/fallback/fallback-chain.js';
import type { IdempotencyPolicy } from '../policies/idempotency/idempotency-policy.js';
import type { RateLimitPolicy } from '../policies/rate-limit/rate-limit-policy.js';
import type { RetryPolicy } from '../policies/retry/retry-policy.js';
import type { TimeoutPolicy } from '../policies/timeout/timeout-policy.js';
import type { ConcurrencyLimit } from '../policies/concurrency-limit/concurrency-limit.js';
import type { ValidationPolicy } from '../policies/validation/validation-policy.js';
import type { ReportListener } from './host.js';
import type { ObservableClass } from './observable-class.js';
import type { ShieldSource } from './shielding.js';

/** A method or function of any kind. */
export type AnyFunction = (this: any, ...args: any[]) => unknown;

/** Finds something for one call: called with the instance as `this` and the arguments of the call. */
export type Selector<R> = (this: any, ...args: any[]) => R;

/** A breaker of the application, and what its calls are kept apart by: a tenant, or a host. */
export interface KeyedCircuitBreaker {
  /** The name of a circuit breaker of the application. */
  readonly name: string;
  /** Finds the key of a call: a text that is not blank. Each key has a breaker of its own: `breaker.keyed(key)`. */
  readonly key: Selector<string>;
}

/** A breaker, the name of one, the name and a key, or a function that finds a breaker or its name for a call. */
export type CircuitBreakerChoice =
  string | CircuitBreaker | KeyedCircuitBreaker | Selector<string | CircuitBreaker>;

/** A limit, the name of one of the application, or how many run at once in a limit of the operation's own. */
export type ConcurrencyLimitChoice = number | string | ConcurrencyLimit;

/** What decorator options and builder calls both come down to. */
export interface Settings {
  readonly retry?: RetryPolicy | undefined;
  readonly timeout?: TimeoutPolicy | undefined;
  readonly deadlineMs?: number | undefined;
  readonly circuitBreaker?: CircuitBreakerChoice | undefined;
  readonly concurrencyLimit?: ConcurrencyLimitChoice | undefined;
  /** A limit of the operation's own is one for each instance. */
  readonly limitsInstances?: boolean | undefined;
  /** Takes the place of retry, timeout and fallbacks. */
  readonly shield?: ShieldSource | ((instance: unknown) => ShieldSource) | undefined;
  readonly fallbacks?: FallbackChain | undefined;
  /** The chain is one simple `fallback`: a decorated method rejects with its own error. */
  readonly singleFallback?: boolean | undefined;
  readonly rateLimit?: RateLimitPolicy | undefined;
  readonly idempotency?: IdempotencyPolicy | undefined;
  readonly validation?: ValidationPolicy | undefined;
  readonly events?: EventEmitter | undefined;
  readonly signal?: AbortSignal | Selector<AbortSignal | undefined> | undefined;
  /** `false`: not repeated after a timeout. */
  readonly idempotent?: boolean | undefined;
  readonly onReport?: ReportListener | undefined;
  readonly throws?: 'original' | 'execution-error' | undefined;
  /** The method returns Observables, and this is their class. */
  readonly observable?: ObservableClass | undefined;
}
