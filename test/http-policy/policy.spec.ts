import { describe, expect, it } from '@jest/globals';
import {
  CircuitBreaker,
  ExponentialBackoff,
  httpPolicy,
  isRetryableHttp,
  retryAfterFromHeaders,
  type HttpMethod,
  type HttpPolicyOptions,
} from '../../lib/index.js';
import { isRateLimitedHttp } from '../../lib/policies/rate-limit/is-rate-limited-http.js';
import { mistakeOf } from '../support/mistake-of.js';

const STANDARD = {
  circuitBreaker: 'payments',
  deadline: 30,
  timeout: 10,
  retries: 3,
  retryOn: isRetryableHttp,
  backoff: new ExponentialBackoff({ baseDelay: 0.5 }),
  rateLimitOn: isRateLimitedHttp,
  retryAfter: retryAfterFromHeaders,
  idempotent: true,
};

describe('the standard policy of an HTTP dependency', () => {
  it('is this, and nobody can change it', () => {
    const policy = httpPolicy({ circuitBreaker: 'payments' });
    expect(policy).toEqual(STANDARD);
    expect(policy.backoff).toMatchObject({
      baseDelaySeconds: 0.5,
      maxDelaySeconds: 10,
      multiplier: 2,
      jitter: true,
    });
    expect(Object.keys(policy)).toEqual(Object.keys(STANDARD));
    expect(Object.isFrozen(policy)).toBe(true);
  });

  it('takes what is given, and undefined as not given', () => {
    const circuitBreaker = new CircuitBreaker({ name: 'payments' });
    const backoff = { delayForRetry: () => 1 };
    const given = { deadline: '8s', timeout: '2s', retries: 1, backoff, maxRateLimitWait: '5s' } as const;
    const policy = httpPolicy({ circuitBreaker, ...given });
    expect(policy).toEqual({ ...STANDARD, circuitBreaker, ...given });
    expect(policy.circuitBreaker).toBe(circuitBreaker);
    const nothing = Object.fromEntries(Object.keys(given).map((option) => [option, undefined]));
    const options = { ...nothing, method: undefined, idempotencyKey: undefined };
    expect(httpPolicy({ circuitBreaker: false, ...options })).toEqual({ ...STANDARD, circuitBreaker: false });
  });

  it.each<[HttpMethod, number]>([
    ['GET', 3],
    ['HEAD', 3],
    ['OPTIONS', 3],
    ['PUT', 3],
    ['DELETE', 3],
    ['POST', 0],
    ['PATCH', 0],
  ])('of %s has %p retries', (method, retries) => {
    const policy = httpPolicy({ circuitBreaker: 'payments', method });
    expect(policy).toEqual({ ...STANDARD, retries, idempotent: retries > 0 });
  });

  it.each<HttpMethod>(['POST', 'PATCH'])('of %s with a key is that of a safe request', (method) => {
    expect(httpPolicy({ circuitBreaker: 'payments', method, idempotencyKey: true })).toEqual(STANDARD);
    expect(httpPolicy({ circuitBreaker: 'payments', method, idempotencyKey: true, retries: 7 }).retries).toBe(
      7,
    );
    expect(httpPolicy({ circuitBreaker: 'payments', method, idempotencyKey: false }).retries).toBe(0);
    expect(httpPolicy({ circuitBreaker: 'payments', method, retries: 0 }).retries).toBe(0);
  });

  it.each<[options: object, message: string]>([
    [{}, 'circuitBreaker is undefined; give the name of a circuit breaker, a CircuitBreaker, or false'],
    [
      { circuitBreaker: undefined },
      'circuitBreaker is undefined; give the name of a circuit breaker, a CircuitBreaker, or false',
    ],
    [
      { circuitBreaker: ' ' },
      'circuitBreaker is a blank string; give the name of a circuit breaker, a CircuitBreaker, or false',
    ],
    [
      { circuitBreaker: true },
      'circuitBreaker is true; give the name of a circuit breaker, a CircuitBreaker, or false',
    ],
    [
      { circuitBreaker: () => 'payments' },
      'circuitBreaker is a function; give the name of a circuit breaker, a CircuitBreaker, or false',
    ],
    [
      { circuitBreaker: 'a', method: 'get' },
      'method is a string; give one of GET, HEAD, OPTIONS, PUT, DELETE, POST, PATCH',
    ],
    [
      { circuitBreaker: 'a', method: 'toString' },
      'method is a string; give one of GET, HEAD, OPTIONS, PUT, DELETE, POST, PATCH',
    ],
    [
      { circuitBreaker: 'a', idempotencyKey: 'o-17' },
      'idempotencyKey is a string; give true or false; the key itself belongs to the request',
    ],
    [
      { circuitBreaker: 'a', method: 'POST', retries: 1 },
      'retries is given for POST, which is not safe to repeat; leave it out, or say idempotencyKey: true if the request carries a key that the provider honours',
    ],
    [
      { circuitBreaker: 'a', deadline: 5 },
      'timeout (10 s) is not below the deadline (5 s); give a shorter timeout, or a longer deadline',
    ],
    [
      { circuitBreaker: 'a', timeout: '5s', deadline: '5000ms' },
      'timeout (5s) is not below the deadline (5000ms); give a shorter timeout, or a longer deadline',
    ],
    [
      { circuitBreaker: 'a', timeout: false },
      "timeout is false; give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'",
    ],
    [
      { circuitBreaker: 'a', deadline: false },
      "deadline is false; give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'",
    ],
    [{ circuitBreaker: 'a', retries: -1 }, 'retries is the number -1; give a whole number, 0 or more'],
    [{ circuitBreaker: 'a', retries: '3' }, 'retries is a string; give a whole number, 0 or more'],
    [
      { circuitBreaker: 'a', maxRateLimitWait: NaN },
      "maxRateLimitWait is NaN; give seconds as a number of 0 or more, or text such as '250ms', '10s', '5m' or '1h'",
    ],
    [{ circuitBreaker: 'a', timout: 5 }, 'timout is not an option here; did you mean timeout?'],
    [
      { circuitBreaker: 'a', fallback: 'later' },
      'fallback is not an option here; the options are circuitBreaker, method, idempotencyKey, deadline, timeout, retries, backoff, maxRateLimitWait',
    ],
  ])('is refused where it cannot work: %p', (options, message) => {
    const mistake = mistakeOf(() => httpPolicy(options as HttpPolicyOptions));
    expect(mistake.message).toBe(`httpPolicy: ${message}`);
  });

  it.each([undefined, null, 'payments', ['payments']])('is refused for %p in place of options', (options) => {
    expect(mistakeOf(() => httpPolicy(options as never)).path).toBe('httpPolicy');
  });
});
