import type { Backoff } from '../backoff/backoff.js';
import type { FailureFilter } from '../errors/failure-filter.js';
import type { EventEmitter } from '../events/event-emitter.js';
import type { FallbackChain } from '../policies/fallback/fallback-chain.js';
import type { IdempotencyPolicy } from '../policies/idempotency/idempotency-policy.js';
import type { IdempotencyStore } from '../policies/idempotency/idempotency-store.js';
import type { RateLimitPolicy, RetryAfterExtractor } from '../policies/rate-limit/rate-limit-policy.js';
import type { RetryPolicy } from '../policies/retry/retry-policy.js';
import type { TimeoutPolicy } from '../policies/timeout/timeout-policy.js';
import type { ValidateOption } from '../policies/validation/as-validation.js';
import type { ValidationPolicy } from '../policies/validation/validation-policy.js';
import type { Duration } from '../time/duration.js';
import type { ReportListener } from './host.js';
import type { ConcurrencyLimit } from '../policies/concurrency-limit/concurrency-limit.js';
import type { AnyFunction, CircuitBreakerChoice, Selector } from './settings.js';

/**
 * The policies of an operation as options. `undefined` is the same as not given; `false` switches off what a layer
 * below has given. A policy object and the simple options that it contains exclude each other.
 */
export interface PolicyOptions {
  /** Tries after the first one: `retries: 3` is up to four attempts. 0 is no retry policy. */
  readonly retries?: number | undefined;
  /** Which failures are worth another try. Default: all. */
  readonly retryOn?: FailureFilter | undefined;
  /** How long to wait before each retry. Default: exponential from 0.1 s to 10 s with full jitter. */
  readonly backoff?: Backoff | undefined;
  /** `retries`, `retryOn` and `backoff` as one object. */
  readonly retry?: RetryPolicy | false | undefined;
  /** The longest time of each try. */
  readonly timeout?: Duration | TimeoutPolicy | false | undefined;
  /** The longest time of the whole call, waits included; not of fallbacks. */
  readonly deadline?: Duration | false | undefined;
  /** A breaker, the name of a registered one, or a function that finds either for a call. */
  readonly circuitBreaker?: CircuitBreakerChoice | false | undefined;
  /** How many attempts run at once, at most, in a limit of this operation's own. Who finds it full is refused. */
  readonly maxConcurrent?: number | undefined;
  /** A limit that operations share, or the name of a registered one. */
  readonly concurrencyLimit?: ConcurrencyLimit | string | false | undefined;
  /** A stand-in for a failed call: called with its arguments. In a class also the name of another method. */
  readonly fallback?: AnyFunction | string | false | undefined;
  /** Several stand-ins, tried in order. */
  readonly fallbacks?: FallbackChain | false | undefined;
  /** Which failures lead to the fallback. Default: all. */
  readonly fallbackOn?: FailureFilter | undefined;
  /** Which failures say that a rate limit was met. They are retried, as far as `retries` goes, whatever `retryOn` says. */
  readonly rateLimitOn?: FailureFilter | undefined;
  /** Finds how long the provider asks to wait, such as `retryAfterFromHeaders`. Default: the back-off decides. */
  readonly retryAfter?: RetryAfterExtractor | undefined;
  /** The longest single wait after a rate limit; a longer one is not begun, and never cut short. Default 60 s. */
  readonly maxRateLimitWait?: Duration | undefined;
  /** `rateLimitOn`, `retryAfter` and `maxRateLimitWait` as one object. */
  readonly rateLimit?: RateLimitPolicy | false | undefined;
  /** Finds the key of a call: calls with one key are one execution, and later ones are given what came of it. */
  readonly idempotencyKey?: Selector<string> | undefined;
  /** Where what came of an execution is kept. Default: in memory, for this operation in this application. */
  readonly idempotencyStore?: IdempotencyStore | undefined;
  /** How long it is kept. Default 1 hour. */
  readonly idempotencyTtl?: Duration | undefined;
  /** `idempotencyKey`, `idempotencyStore` and `idempotencyTtl`, and more, as one object. */
  readonly idempotency?: IdempotencyPolicy | false | undefined;
  /** Checks of the value: a question, a validator, a Standard Schema, or a list of them. */
  readonly validate?: ValidateOption | false | undefined;
  /** `validate` as one object. */
  readonly validation?: ValidationPolicy | false | undefined;
  /** Who is told what happens. Adds to the module's sinks. */
  readonly events?: EventEmitter | undefined;
  /** The caller's signal, or a function that finds it for a call: an abort ends the call at once with its reason. */
  readonly signal?: AbortSignal | Selector<AbortSignal | undefined> | undefined;
  /** `false`: not repeated after a timeout, since the work may have been done. Default true. */
  readonly idempotent?: boolean | undefined;
  /** Gets the report of every call, whatever its end. */
  readonly onReport?: ReportListener | undefined;
}

export const POLICY_OPTIONS: readonly (keyof PolicyOptions)[] = [
  'retries',
  'retryOn',
  'backoff',
  'retry',
  'timeout',
  'deadline',
  'circuitBreaker',
  'maxConcurrent',
  'concurrencyLimit',
  'fallback',
  'fallbacks',
  'fallbackOn',
  'rateLimitOn',
  'retryAfter',
  'maxRateLimitWait',
  'rateLimit',
  'idempotencyKey',
  'idempotencyStore',
  'idempotencyTtl',
  'idempotency',
  'validate',
  'validation',
  'events',
  'signal',
  'idempotent',
  'onReport',
];

/** Options that say one thing in two ways: the policy object, and the simple options that it contains. */
export const OPTION_GROUPS: readonly {
  readonly whole: keyof PolicyOptions;
  readonly parts: readonly (keyof PolicyOptions)[];
}[] = [
  { whole: 'retry', parts: ['retries', 'retryOn', 'backoff'] },
  { whole: 'concurrencyLimit', parts: ['maxConcurrent'] },
  { whole: 'fallbacks', parts: ['fallback', 'fallbackOn'] },
  { whole: 'rateLimit', parts: ['rateLimitOn', 'retryAfter', 'maxRateLimitWait'] },
  { whole: 'idempotency', parts: ['idempotencyKey', 'idempotencyStore', 'idempotencyTtl'] },
  { whole: 'validation', parts: ['validate'] },
];
