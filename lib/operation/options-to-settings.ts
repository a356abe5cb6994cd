import { checkDuration } from '../errors/check.js';
import { FallbackChain, type FallbackCandidate } from '../policies/fallback/fallback-chain.js';
import { IdempotencyPolicy } from '../policies/idempotency/idempotency-policy.js';
import { RateLimitPolicy } from '../policies/rate-limit/rate-limit-policy.js';
import { RetryPolicy } from '../policies/retry/retry-policy.js';
import { TimeoutPolicy } from '../policies/timeout/timeout-policy.js';
import { asValidation } from '../policies/validation/as-validation.js';
import { checkMergedOptions } from './check-options.js';
import type { PolicyOptions } from './options.js';
import type { AnyFunction, Settings } from './settings.js';

/** The settings that checked and merged options stand for. @throws {ConfigurationError} when they contradict each other. */
export function settingsFrom(options: PolicyOptions, written: PolicyOptions = options): Settings {
  checkMergedOptions(options, written);
  const { deadline, events, signal, idempotent, onReport } = options;
  return {
    retry: retryFrom(options),
    timeout: timeoutFrom(options),
    deadlineMs:
      deadline === undefined || deadline === false ? undefined : checkDuration('deadline', deadline),
    circuitBreaker: orNone(options.circuitBreaker),
    concurrencyLimit: orNone(options.concurrencyLimit) ?? options.maxConcurrent,
    fallbacks: fallbacksFrom(options),
    singleFallback: orNone(options.fallback) !== undefined,
    rateLimit: rateLimitFrom(options),
    idempotency: idempotencyFrom(options),
    validation:
      options.validate === undefined ? orNone(options.validation) : validationFrom(options.validate),
    events,
    signal,
    idempotent,
    onReport,
  };
}

function retryFrom({ retry, retries = 0, retryOn, backoff }: PolicyOptions): RetryPolicy | undefined {
  if (retry !== undefined) return orNone(retry);
  return retries === 0 ? undefined : new RetryPolicy({ maxAttempts: retries + 1, retryOn, backoff });
}

function timeoutFrom({ timeout }: PolicyOptions): TimeoutPolicy | undefined {
  if (timeout === undefined || timeout === false) return undefined;
  return timeout instanceof TimeoutPolicy ? timeout : new TimeoutPolicy(timeout);
}

function rateLimitFrom({
  rateLimit,
  rateLimitOn,
  retryAfter,
  maxRateLimitWait,
}: PolicyOptions): RateLimitPolicy | undefined {
  if (rateLimit !== undefined) return orNone(rateLimit);
  if (rateLimitOn === undefined) return undefined;
  return new RateLimitPolicy({ rateLimitOn, retryAfter, maxWait: maxRateLimitWait });
}

function idempotencyFrom(options: PolicyOptions): IdempotencyPolicy | undefined {
  const { idempotency, idempotencyKey: key, idempotencyStore: store, idempotencyTtl: ttl } = options;
  if (idempotency !== undefined && idempotency !== false && store !== undefined)
    return idempotency.keptIn(store);
  if (idempotency !== undefined) return orNone(idempotency);
  return key === undefined ? undefined : new IdempotencyPolicy({ key, store, ttl });
}

function fallbacksFrom({ fallback, fallbacks, fallbackOn }: PolicyOptions): FallbackChain | undefined {
  if (fallback === undefined || fallback === false) return orNone(fallbacks);
  return new FallbackChain([candidateFrom(fallback)], { fallbackOn });
}

/** A method is looked up at each call, through the instance, so that subclasses and its own decorator apply. */
function candidateFrom(fallback: AnyFunction | string): FallbackCandidate {
  if (typeof fallback === 'function')
    return { name: fallback.name === '' ? 'fallback' : fallback.name, operation: fallback };
  return {
    name: fallback,
    operation(this: Record<string, AnyFunction>, ...args: unknown[]) {
      return (this[fallback] as AnyFunction)(...args);
    },
  };
}

function validationFrom(validate: PolicyOptions['validate']) {
  return validate === undefined || validate === false ? undefined : asValidation(validate);
}

function orNone<T>(value: T | false | undefined): T | undefined {
  return value === false ? undefined : value;
}
