import { isAbortSignal } from '../attempt/abort-listeners.js';
import {
  checkCount,
  checkDuration,
  checkDurationOrZero,
  checkFunction,
  checkName,
  checkOptions,
  refuse,
} from '../errors/check.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { compileFilter } from '../errors/failure-filter.js';
import { EventEmitter } from '../events/event-emitter.js';
import { isConcurrencyLimit } from '../policies/concurrency-limit/concurrency-limit.js';
import { FallbackChain } from '../policies/fallback/fallback-chain.js';
import { IdempotencyPolicy } from '../policies/idempotency/idempotency-policy.js';
import { isIdempotencyStore } from '../policies/idempotency/idempotency-store.js';
import { RateLimitPolicy } from '../policies/rate-limit/rate-limit-policy.js';
import { RetryPolicy } from '../policies/retry/retry-policy.js';
import { TimeoutPolicy } from '../policies/timeout/timeout-policy.js';
import { asValidation } from '../policies/validation/as-validation.js';
import { ValidationPolicy } from '../policies/validation/validation-policy.js';
import { isCircuitBreaker, isKeyedBreaker } from './ask-breaker.js';
import { OPTION_GROUPS, POLICY_OPTIONS, type PolicyOptions } from './options.js';
import type { Settings } from './settings.js';

type Check = (value: unknown) => void;

/** Something of a class, given by an instance of it. */
function instance(option: string, type: abstract new (...args: never[]) => object, cure: string): Check {
  return (value) => void (value instanceof type || refuse(option, value, cure));
}

/** The rule of each single option. */
const CHECKS: Readonly<Record<keyof PolicyOptions, Check>> = {
  retries: (value) => checkCount('retries', value, 0),
  retryOn: (value) => compileFilter('retryOn', value as never),
  backoff: (value) => new RetryPolicy({ backoff: value as never }),
  retry: orFalse(
    instance('retry', RetryPolicy, 'give a RetryPolicy, or false; a number of retries is the option retries'),
  ),
  timeout: orFalse((value) => void (value instanceof TimeoutPolicy || checkDuration('timeout', value))),
  deadline: orFalse((value) => checkDuration('deadline', value)),
  circuitBreaker: orFalse(checkBreaker),
  maxConcurrent: (value) => checkCount('maxConcurrent', value, 1),
  concurrencyLimit: orFalse(checkLimit),
  fallback: orFalse(checkFallback),
  fallbacks: orFalse(
    instance('fallbacks', FallbackChain, 'give a chain made with fallbackChain(), or false'),
  ),
  fallbackOn: (value) => compileFilter('fallbackOn', value as never),
  rateLimitOn: (value) => compileFilter('rateLimitOn', value as never),
  retryAfter: (value) => checkFunction('retryAfter', value),
  maxRateLimitWait: (value) => checkDurationOrZero('maxRateLimitWait', value),
  rateLimit: orFalse(instance('rateLimit', RateLimitPolicy, 'give a RateLimitPolicy, or false')),
  idempotencyKey: (value) => checkFunction('idempotencyKey', value),
  idempotencyStore: (value) =>
    void (
      isIdempotencyStore(value) ||
      refuse('idempotencyStore', value, 'give an IdempotencyStore, an object with claim()')
    ),
  idempotencyTtl: (value) => checkDuration('idempotencyTtl', value),
  idempotency: orFalse(instance('idempotency', IdempotencyPolicy, 'give an IdempotencyPolicy, or false')),
  validate: orFalse((value) => asValidation(value as never)),
  validation: orFalse(
    instance('validation', ValidationPolicy, 'give a policy made with validationPolicy(), or false'),
  ),
  events: instance('events', EventEmitter, 'give an EventEmitter'),
  signal: (value) =>
    void (
      isAbortSignal(value) ||
      typeof value === 'function' ||
      refuse('signal', value, 'give an AbortSignal, or a function that finds one')
    ),
  idempotent: (value) =>
    void (typeof value === 'boolean' || refuse('idempotent', value, 'give true or false')),
  onReport: (value) => checkFunction('onReport', value),
};

/** Checks options where they are written: each by itself, and that nothing is said twice. */
export function checkPolicyOptions(options: PolicyOptions, alsoKnown: readonly string[] = []): void {
  checkOptions('options', options, [...POLICY_OPTIONS, ...alsoKnown]);
  for (const option of POLICY_OPTIONS) {
    const value: unknown = options[option];
    if (value !== undefined) CHECKS[option](value);
  }
  for (const { whole, parts } of OPTION_GROUPS) {
    const part = parts.find((option) => options[option] !== undefined);
    if (options[whole] === undefined || part === undefined) continue;
    throw new ConfigurationError({
      option: part,
      problem: `is given together with ${whole}`,
      cure: `put it into ${whole}, or leave ${whole} out`,
    });
  }
}

/** Checks what a builder is given: policies themselves, neither the short forms of a decorator nor `false`. */
export function checkPolicies(policies: Settings): void {
  for (const [option, value] of Object.entries(policies) as [keyof PolicyOptions, unknown][]) {
    const isShort =
      (option === 'timeout' && !(value instanceof TimeoutPolicy)) ||
      (option === 'circuitBreaker' && !isCircuitBreaker(value)) ||
      (option === 'concurrencyLimit' && !isConcurrencyLimit(value)) ||
      (option !== 'idempotent' && value === false);
    if (value === undefined || isShort) refuse(option, value, 'give the policy object itself');
    CHECKS[option](value);
  }
}

/**
 * Rules between options, for when all layers are merged. They hold for what stands in `written`, the uppermost layer:
 * defaults may say what retries are worth it without every method having retries.
 */
export function checkMergedOptions(options: PolicyOptions, written: PolicyOptions): void {
  const needs = (option: keyof PolicyOptions, needed: keyof PolicyOptions): void => {
    if (written[option] === undefined || options[needed] !== undefined) return;
    throw new ConfigurationError({
      option,
      problem: `is given without ${needed}`,
      cure: `add ${needed}, or leave ${option} out`,
    });
  };
  // `retries: 0` switches retrying off and leaves what a layer said about it without an effect, on purpose.
  if (options.retries === undefined) {
    needs('retryOn', 'retries');
    needs('backoff', 'retries');
  }
  if (options.rateLimit !== false) {
    needs('retryAfter', 'rateLimitOn');
    needs('maxRateLimitWait', 'rateLimitOn');
  }
  if (options.idempotency !== false) {
    if (options.idempotency === undefined) needs('idempotencyStore', 'idempotencyKey');
    needs('idempotencyTtl', 'idempotencyKey');
  }
  if (options.fallback !== false) needs('fallbackOn', 'fallback');
}

function orFalse(check: Check): Check {
  return (value) => void (value === false || check(value));
}

function checkBreaker(value: unknown): void {
  if (typeof value === 'string' && value.trim() !== '') return;
  if (typeof value === 'function' || isCircuitBreaker(value)) return;
  if (isKeyedBreaker(value)) {
    checkOptions('circuitBreaker', value, ['name', 'key']);
    return void checkName('circuitBreaker.name', value.name);
  }
  refuse(
    'circuitBreaker',
    value,
    'give the name of a circuit breaker, a CircuitBreaker, a name and a key, or a function that finds one',
  );
}

function checkLimit(value: unknown): void {
  if (isConcurrencyLimit(value) || (typeof value === 'string' && value.trim() !== '')) return;
  refuse(
    'concurrencyLimit',
    value,
    'give the name of a concurrency limit or a ConcurrencyLimit; a number is the option maxConcurrent',
  );
}

function checkFallback(value: unknown): void {
  if (typeof value === 'function' || (typeof value === 'string' && value.trim() !== '')) return;
  refuse('fallback', value, 'give a function, or the name of another method of the class');
}
