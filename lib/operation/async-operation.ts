import { isAbortSignal } from '../attempt/abort-listeners.js';
import {
  checkDuration,
  checkFunction,
  checkName,
  checkOptions,
  refuse,
  type TimeOptions,
} from '../errors/check.js';
import { located } from '../errors/configuration-error.js';
import type { EventEmitter } from '../events/event-emitter.js';
import type { CircuitBreaker } from '../policies/circuit-breaker/circuit-breaker.js';
import type { ConcurrencyLimit } from '../policies/concurrency-limit/concurrency-limit.js';
import type { FallbackChain } from '../policies/fallback/fallback-chain.js';
import type { IdempotencyPolicy } from '../policies/idempotency/idempotency-policy.js';
import type { RateLimitPolicy } from '../policies/rate-limit/rate-limit-policy.js';
import type { RetryPolicy } from '../policies/retry/retry-policy.js';
import type { TimeoutPolicy } from '../policies/timeout/timeout-policy.js';
import type { ValidationPolicy } from '../policies/validation/validation-policy.js';
import type { Duration } from '../time/duration.js';
import { checkPolicies } from './check-options.js';
import { describeSettings } from './describe.js';
import type { OperationHost } from './host.js';
import type { OperationResult } from './operation-result.js';
import { compilePlan, type Plan } from './plan.js';
import type { Selector, Settings } from './settings.js';
import { StandaloneHost, standaloneHost } from './standalone-host.js';
import { start } from './start.js';

type Fn = (...args: any[]) => unknown;

/** A named function with its policies. Immutable: every `with…` gives a new operation, and their order does not matter. */
export class AsyncOperation<M extends Fn, W = never> {
  private plan: Plan | undefined;

  /** Use {@link asyncOperation}. */
  constructor(
    readonly name: string,
    private readonly fn: M,
    private readonly settings: Settings,
    private readonly host: OperationHost,
  ) {}

  /** Repeats failed tries. */
  withRetry(retry: RetryPolicy): AsyncOperation<M, W> {
    return this.with({ retry });
  }

  /** Limits the time of each try. */
  withTimeout(timeout: TimeoutPolicy): AsyncOperation<M, W> {
    return this.with({ timeout });
  }

  /** Limits the time of the whole call, waits included, fallbacks not. */
  withDeadline(deadline: Duration): AsyncOperation<M, W> {
    const deadlineMs = located(this.name, () => checkDuration('deadline', deadline));
    return new AsyncOperation(this.name, this.fn, { ...this.settings, deadlineMs }, this.host);
  }

  /** Stand-ins for a failed call. The result may be theirs, too. */
  withFallbacks<F extends (...args: Parameters<M>) => unknown>(
    fallbacks: FallbackChain<F>,
  ): AsyncOperation<M, Awaited<ReturnType<F>>> {
    return this.with({ fallbacks: fallbacks }) as unknown as AsyncOperation<M, Awaited<ReturnType<F>>>;
  }

  /** Stops calling while the dependency is down. Share one breaker between the operations on one dependency. */
  withCircuitBreaker(circuitBreaker: CircuitBreaker): AsyncOperation<M, W> {
    return this.with({ circuitBreaker });
  }

  /** Limits how many attempts run at once. Share one limit between the operations on one dependency. */
  withConcurrencyLimit(concurrencyLimit: ConcurrencyLimit): AsyncOperation<M, W> {
    return this.with({ concurrencyLimit });
  }

  /** Waits as long as a provider that limits the rate asks for. Makes no attempts of its own: see `withRetry`. */
  withRateLimit(rateLimit: RateLimitPolicy): AsyncOperation<M, W> {
    return this.with({ rateLimit });
  }

  /** Calls with one key are one execution, and later ones are given what came of it. */
  withIdempotency(idempotency: IdempotencyPolicy<(...args: Parameters<M>) => string>): AsyncOperation<M, W> {
    return this.with({ idempotency });
  }

  /** Checks what comes back, from the function and from fallbacks. */
  withValidation(validation: ValidationPolicy<Awaited<ReturnType<M>> | W>): AsyncOperation<M, W> {
    return this.with({ validation });
  }

  /** Tells sinks what happens. */
  withEvents(events: EventEmitter): AsyncOperation<M, W> {
    return this.with({ events });
  }

  /** Ends a call at once, with the signal's reason, when its caller aborts. */
  withSignal(
    signal: AbortSignal | ((...args: Parameters<M>) => AbortSignal | undefined),
  ): AsyncOperation<M, W> {
    return this.with({ signal: signal as AbortSignal | Selector<AbortSignal | undefined> });
  }

  /** `false`: not repeated after a timeout, since the work may have been done. */
  withIdempotent(idempotent: boolean): AsyncOperation<M, W> {
    return this.with({ idempotent });
  }

  /**
   * Calls the function once, under its policies.
   * @throws {OperationExecutionError} with the report when it fails; the signal's reason when the caller aborts.
   */
  run(...args: Parameters<M>): Promise<OperationResult<Awaited<ReturnType<M>> | W>> {
    return start((this.plan ??= this.compile()), undefined, args, 'result') as Promise<
      OperationResult<Awaited<ReturnType<M>> | W>
    >;
  }

  /** `run` with the signal of this one call, beside `withSignal`'s. */
  runWith(
    options: { readonly signal?: AbortSignal | undefined },
    ...args: Parameters<M>
  ): Promise<OperationResult<Awaited<ReturnType<M>> | W>> {
    checkOptions('runWith', options, ['signal']);
    const { signal } = options;
    if (signal !== undefined && !isAbortSignal(signal)) refuse('signal', signal, 'give an AbortSignal');
    return start((this.plan ??= this.compile()), undefined, args, 'result', signal) as Promise<
      OperationResult<Awaited<ReturnType<M>> | W>
    >;
  }

  /** The policies in one readable line. */
  describe(): string {
    return describeSettings(this.name, this.settings);
  }

  private compile(): Plan {
    return compilePlan(this.name, this.fn, this.settings, this.host);
  }

  private with(change: Settings): AsyncOperation<M, W> {
    located(this.name, () => checkPolicies(change));
    return new AsyncOperation(this.name, this.fn, { ...this.settings, ...change }, this.host);
  }
}

/**
 * An operation of a function: `asyncOperation('read user', readUser).withRetry(new RetryPolicy()).run(id)`.
 * @throws {ConfigurationError} for a blank name, something that is no function, or options that are none.
 */
export function asyncOperation<M extends Fn>(
  name: string,
  fn: M,
  options: TimeOptions = {},
): AsyncOperation<M> {
  checkName('name', name);
  checkFunction('fn', fn);
  checkOptions('options', options, ['clock', 'random']);
  const ownTime = options.clock !== undefined || options.random !== undefined;
  return new AsyncOperation(name, fn, {}, ownTime ? new StandaloneHost(options) : standaloneHost);
}
