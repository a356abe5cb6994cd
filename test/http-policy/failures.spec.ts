import { describe, expect, it } from '@jest/globals';
import { AxiosError } from 'axios';
import {
  CircuitBreaker,
  CircuitBreakerOpenError,
  FallbackChainError,
  httpCircuitBreaker,
  httpPolicy,
  isRetryableHttp,
  OperationTimeoutError,
  resilient,
  ValidationFailedError,
} from '../../lib/index.js';
import { compileFilter } from '../../lib/errors/failure-filter.js';
import { rejection } from '../operation/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { failureOf, failureWith } from './support.js';

const retryOn = compileFilter('retryOn', isRetryableHttp);
const rateLimitOn = compileFilter('rateLimitOn', httpPolicy({ circuitBreaker: false }).rateLimitOn);

/** What the filters of operations and of a breaker make of a failure. */
async function judged(error: unknown): Promise<boolean[]> {
  const breaker = new CircuitBreaker(httpCircuitBreaker('b', { failureThreshold: 1 }));
  await rejection(breaker.run(() => Promise.reject(error as Error)));
  return [retryOn(error), breaker.state === 'open', rateLimitOn(error)];
}

const named = (name: string) => Object.assign(new Error(name), { name });
/** As got and axios tell of an answer whose status had arrived. */
const cutAfter = (statusCode: number, code: string) =>
  Object.assign(failureOf(code), { response: { statusCode } });
const badForAxios = (message: string, status?: number) =>
  Object.assign(new AxiosError(message, 'ERR_BAD_RESPONSE'), status === undefined ? {} : { status });
const cutForAxios = (status?: number) => badForAxios('stream has been aborted', status);
const hint = { 'Retry-After': '7' };
const inPast = { Date: 'Fri, 02 Jan 2026 00:00:00 GMT', 'Retry-After': 'Thu, 01 Jan 2026 00:00:00 GMT' };

/** What is said of a failure: another try may help, the dependency is unwell, it is a rate limit. */
const FAILURES: [what: string, retryable: boolean, unwell: boolean, limited: boolean, error: unknown][] = [
  ['status 400', false, false, false, failureWith(400)],
  ['status 401', false, false, false, failureWith(401)],
  ['status 404', false, false, false, failureWith(404)],
  ['status 408', true, false, false, failureWith(408)],
  ['status 422', false, false, false, failureWith(422)],
  ['status 429', true, false, true, failureWith(429)],
  ['status 429 with a hint', true, false, true, failureWith(429, hint)],
  ['status 500', true, true, false, failureWith(500)],
  ['status 500 with a hint', true, true, false, failureWith(500, hint)],
  ['status 501', false, false, false, failureWith(501)],
  ['status 502', true, true, false, failureWith(502)],
  ['status 503', true, true, false, failureWith(503)],
  ['status 503 with a hint', true, true, true, failureWith(503, hint)],
  ['status 503 with a date', true, true, true, failureWith(503, { 'Retry-After': inPast['Retry-After'] })],
  ['status 503 with a date that has passed', true, true, false, failureWith(503, inPast)],
  ['status 503 with a hint of 0', true, true, false, failureWith(503, { 'Retry-After': '0' })],
  ['status 504', true, true, false, failureWith(504)],
  ['status 505', false, false, false, failureWith(505)],
  ['status 520', true, true, false, failureWith(520)],
  ['status 200, thrown all the same', false, false, false, failureWith(200)],
  ['a lost connection', true, true, false, failureOf('ECONNRESET')],
  [
    'a refused connection',
    true,
    true,
    false,
    new TypeError('fetch failed', { cause: failureOf('ECONNREFUSED') }),
  ],
  ['an unknown host', false, true, false, new TypeError('fetch failed', { cause: failureOf('ENOTFOUND') })],
  ['an expired certificate', false, true, false, failureOf('CERT_HAS_EXPIRED')],
  ['a failed handshake', false, true, false, failureOf('EPROTO')],
  ['a handshake that failed under fetch', false, true, false, failureOf('ERR_SSL_WRONG_VERSION_NUMBER')],
  ['a certificate of somebody else', false, true, false, failureOf('ERR_TLS_CERT_ALTNAME_INVALID')],
  ['a certificate of nobody', false, true, false, failureOf('DEPTH_ZERO_SELF_SIGNED_CERT')],
  ['no HTTP at all', true, true, false, failureOf('HPE_INVALID_CONSTANT')],
  ['no HTTP at all, under undici', true, true, false, named('HTTPParserError')],
  ['headers that are too long', false, false, false, failureOf('HPE_HEADER_OVERFLOW')],
  ['a good answer that was cut', true, true, false, cutAfter(200, 'ECONNRESET')],
  ['a good answer that was cut, compressed', true, true, false, cutAfter(200, 'Z_BUF_ERROR')],
  ['a bad answer that was cut', false, false, false, cutAfter(404, 'ECONNRESET')],
  ['a good answer that was cut, of axios', true, true, false, cutForAxios(200)],
  ['an answer that was cut, of an axios that keeps none', true, true, false, cutForAxios()],
  ['a bad answer that was cut, of axios', false, false, false, cutForAxios(404)],
  [
    'an answer that is too long for axios',
    false,
    false,
    false,
    badForAxios('maxContentLength size of 9 exceeded'),
  ],
  ["a client's own timeout", true, true, false, named('TimeoutError')],
  ['a timeout of axios', true, true, false, new AxiosError('timeout', 'ECONNABORTED')],
  [
    "a client's own timeout in an abort",
    true,
    true,
    false,
    Object.assign(named('AbortError'), { code: 'ABORT_ERR', cause: named('TimeoutError') }),
  ],
  ['a request that was given up', false, false, false, named('AbortError')],
  ['a request that axios gave up', false, false, false, new AxiosError('canceled', 'ERR_CANCELED')],
  ['a timeout of ours', true, true, false, new OperationTimeoutError(10, 'attempt')],
  ['a rejected value', true, true, false, new ValidationFailedError('v', 'no')],
  ['the refusal of a breaker', false, false, false, new CircuitBreakerOpenError('b', 'open', 5)],
  [
    'such a refusal after a limit',
    false,
    false,
    false,
    new CircuitBreakerOpenError('b', 'open', 5, { cause: failureWith(429, hint) }),
  ],
  ['a programming error', false, false, false, new TypeError('x is not a function')],
  ['something thrown', false, false, false, 'boom'],
  ['nothing', false, false, false, undefined],
  ['an error over one', true, true, true, new Error('cannot pay', { cause: failureWith(503, hint) })],
  ['a failed chain', false, false, false, new FallbackChainError([failureWith(500)], failureWith(404))],
  [
    'a failed chain over a limit',
    true,
    false,
    true,
    new FallbackChainError([failureWith(404)], failureWith(429)),
  ],
];

describe('a failure of HTTP', () => {
  it.each(FAILURES)('that is %s is retried %p, recorded %p, a rate limit %p', async (...row) => {
    const [, retryable, unwell, limited, error] = row;
    expect(await judged(error)).toEqual([retryable, unwell, limited]);
  });

  it.each(FAILURES)('that is %s is judged the same through a wrapper of ours', async (...row) => {
    const [, retryable, unwell, limited, error] = row;
    const inner = resilient({ name: 'inner' }, () => Promise.reject(error as Error));
    expect(await judged(await rejection(inner()))).toEqual([retryable, unwell, limited]);
  });
});

describe('the breaker of an HTTP dependency', () => {
  it('has the settings of any other, but for what it counts', () => {
    const plain = new CircuitBreaker({ name: 'payments' });
    const breaker = new CircuitBreaker(httpCircuitBreaker('payments'));
    expect(breaker.snapshot()).toEqual(plain.snapshot());
  });

  it('takes what is given', async () => {
    const settings = httpCircuitBreaker('payments', {
      failureThreshold: 2,
      recoveryTimeout: '1m',
      recordFailureOn: [RangeError],
    });
    const breaker = new CircuitBreaker(settings);
    expect(breaker.snapshot()).toMatchObject({ failureThreshold: 2, recoveryTimeoutSeconds: 60 });
    await rejection(breaker.run(() => Promise.reject(failureWith(500))));
    expect(breaker.snapshot().failureCount).toBe(0);
    expect(httpCircuitBreaker('payments', { failureThreshold: undefined })).toEqual(
      httpCircuitBreaker('payments'),
    );
  });

  it.each<[given: unknown[], message: string]>([
    [[' '], 'name is a blank string; give a text that is not blank'],
    [[undefined], 'name is undefined; give a text that is not blank'],
    [['a', null], 'overrides is null; give an object of options'],
    [
      ['a', { failureThreshold: 0 }],
      "failureThreshold of circuit breaker 'a' is the number 0; give a whole number, 1 or more",
    ],
    [
      ['a', { failuresThreshold: 1 }],
      'failuresThreshold is not an option here; did you mean failureThreshold?',
    ],
  ])('is refused for %p', (given, message) => {
    const make = httpCircuitBreaker as (...given: unknown[]) => unknown;
    expect(mistakeOf(() => make(...given)).message).toBe(message);
  });
});
