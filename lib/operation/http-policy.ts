import type { Backoff } from '../backoff/backoff.js';
import { ExponentialBackoff } from '../backoff/exponential-backoff.js';
import { checkDuration, checkOptions, refuse } from '../errors/check.js';
import { ConfigurationError, located } from '../errors/configuration-error.js';
import type { CircuitBreaker } from '../policies/circuit-breaker/circuit-breaker.js';
import { isRateLimitedHttp } from '../policies/rate-limit/is-rate-limited-http.js';
import type { RetryAfterExtractor } from '../policies/rate-limit/rate-limit-policy.js';
import { retryAfterFromHeaders } from '../policies/rate-limit/retry-after-from-headers.js';
import { isRetryableHttp } from '../policies/retry/is-retryable-http.js';
import type { Duration } from '../time/duration.js';
import { isCircuitBreaker } from './ask-breaker.js';
import { checkPolicyOptions } from './check-options.js';

/** Whether a second request does no more than the first one, by RFC 9110 (9.2.2). */
const REPEATABLE = {
  GET: true,
  HEAD: true,
  OPTIONS: true,
  PUT: true,
  DELETE: true,
  POST: false,
  PATCH: false,
};

/** The methods of requests. */
export type HttpMethod = keyof typeof REPEATABLE;

/** Options of {@link httpPolicy}. */
export interface HttpPolicyOptions<
  B extends string | CircuitBreaker | false = string | CircuitBreaker | false,
> {
  /** The breaker of the dependency, by name or itself, or `false` for none. Not optional, so that it is a decision. */
  readonly circuitBreaker: B;
  /** The method of the request. POST and PATCH are not repeated. Default `'GET'`. */
  readonly method?: HttpMethod | undefined;
  /** The request carries an idempotency key that the provider honours, so it may be repeated. Default false. */
  readonly idempotencyKey?: boolean | undefined;
  /** The longest time of the whole call, waits included. Default 30 s. */
  readonly deadline?: Duration | undefined;
  /** The longest time of each try; shorter than the deadline. Default 10 s. */
  readonly timeout?: Duration | undefined;
  /** Tries after the first one. Default 3; 0 for requests that are not safe to repeat. */
  readonly retries?: number | undefined;
  /** How long to wait where the provider does not say. Default: exponential from 0.5 s to 10 s with full jitter. */
  readonly backoff?: Backoff | undefined;
  /** The longest wait that a provider may ask for. Default 60 s, and never past the deadline. */
  readonly maxRateLimitWait?: Duration | undefined;
}

/** What {@link httpPolicy} gives: options of a decorator or of `resilient`. */
export interface HttpPolicy<B extends string | CircuitBreaker | false = string | CircuitBreaker | false> {
  readonly circuitBreaker: B;
  readonly deadline: Duration;
  readonly timeout: Duration;
  readonly retries: number;
  readonly retryOn: (error: unknown) => boolean;
  readonly backoff: Backoff;
  readonly rateLimitOn: (error: unknown) => boolean;
  readonly retryAfter: RetryAfterExtractor;
  readonly maxRateLimitWait?: Duration;
  readonly idempotent: boolean;
}

const OPTIONS = [
  'circuitBreaker',
  'method',
  'idempotencyKey',
  'deadline',
  'timeout',
  'retries',
  'backoff',
  'maxRateLimitWait',
];

/**
 * The safe standard for a request to an HTTP dependency, as options to hand to `@Resilient` or `resilient`, or to
 * spread: `@Resilient(httpPolicy({ circuitBreaker: 'payments' }))`. A deadline, a timeout of each try, retries of
 * what may pass by asking again if the request is safe to repeat, waits as long as the provider asks, and a breaker.
 * @throws {ConfigurationError} for a missing `circuitBreaker`, a timeout that is not below the deadline, or retries of
 * a request that is not safe to repeat.
 */
export function httpPolicy<const B extends string | CircuitBreaker | false>(
  options: HttpPolicyOptions<B>,
): HttpPolicy<B> {
  return located('httpPolicy', () => {
    checkOptions('options', options, OPTIONS);
    const { circuitBreaker, deadline = 30, timeout = 10, maxRateLimitWait } = options;
    if (!isBreakerChoice(circuitBreaker))
      refuse(
        'circuitBreaker',
        circuitBreaker,
        'give the name of a circuit breaker, a CircuitBreaker, or false',
      );
    const isRepeatable = mayRepeat(options);
    const { retries = isRepeatable ? 3 : 0, backoff = new ExponentialBackoff({ baseDelay: 0.5 }) } = options;
    const policy = {
      circuitBreaker,
      deadline,
      timeout,
      retries,
      retryOn: isRetryableHttp,
      backoff,
      rateLimitOn: isRateLimitedHttp,
      retryAfter: retryAfterFromHeaders,
      ...(maxRateLimitWait !== undefined && { maxRateLimitWait }),
      // Where configuration grants retries all the same, at least none comes after a timeout.
      idempotent: isRepeatable,
    };
    checkPolicyOptions(policy);
    checkTimes(deadline, timeout);
    if (!isRepeatable && retries > 0) refuseRetries(options);
    return Object.freeze(policy);
  });
}

function isBreakerChoice(value: unknown): boolean {
  return value === false || (typeof value === 'string' && value.trim() !== '') || isCircuitBreaker(value);
}

function mayRepeat({ method = 'GET', idempotencyKey = false }: HttpPolicyOptions): boolean {
  if (!Object.hasOwn(REPEATABLE, method))
    refuse('method', method, `give one of ${Object.keys(REPEATABLE).join(', ')}`);
  if (typeof idempotencyKey !== 'boolean')
    refuse('idempotencyKey', idempotencyKey, 'give true or false; the key itself belongs to the request');
  return REPEATABLE[method] || idempotencyKey;
}

/** A deadline that comes first would make every try the last one, and no timeout would ever count against the upstream. */
function checkTimes(deadline: Duration, timeout: Duration): void {
  if (checkDuration('timeout', timeout) < checkDuration('deadline', deadline)) return;
  throw new ConfigurationError({
    option: 'timeout',
    problem: `(${print(timeout)}) is not below the deadline (${print(deadline)})`,
    cure: 'give a shorter timeout, or a longer deadline',
  });
}

function print(duration: Duration): string {
  return typeof duration === 'number' ? `${duration} s` : duration;
}

function refuseRetries({ method }: HttpPolicyOptions): never {
  throw new ConfigurationError({
    option: 'retries',
    problem: `is given for ${method}, which is not safe to repeat`,
    cure: 'leave it out, or say idempotencyKey: true if the request carries a key that the provider honours',
  });
}
