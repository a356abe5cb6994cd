import { runInNewContext } from 'node:vm';
import { describe, expect, it, jest } from '@jest/globals';
import {
  CircuitBreakerOpenError,
  FallbackChainError,
  isRetryableHttp,
  MisuseError,
  OperationTimeoutError,
  ValidationFailedError,
} from '../../lib/index.js';
import { failing, onFakeClock } from './support.js';

function withFields(fields: object, error: Error = new Error('of a client')): Error {
  return Object.assign(error, fields);
}

const passing = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENETDOWN',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'ERR_NETWORK',
  'ERR_STREAM_PREMATURE_CLOSE',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'Z_BUF_ERROR',
];

describe('the rule for HTTP failures', () => {
  it.each(passing)('repeats the network code %s, also in a cause', (code) => {
    expect(isRetryableHttp(withFields({ code }))).toBe(true);
    expect(isRetryableHttp(new TypeError('fetch failed', { cause: withFields({ code }) }))).toBe(true);
  });

  it.each([
    'ENOTFOUND',
    'EACCES',
    'ENOENT',
    'CERT_HAS_EXPIRED',
    'ERR_INVALID_ARG_TYPE',
    'econnreset',
    '',
    5,
    null,
  ])('does not repeat the code %p', (code) => expect(isRetryableHttp(withFields({ code }))).toBe(false));

  it.each([408, 429, 500, 502, 503, 504, 507, 520, 599])('repeats status %p', (status) => {
    expect(isRetryableHttp(withFields({ status }))).toBe(true);
  });

  // B076
  it.each([100, 200, 301, 400, 401, 403, 404, 409, 410, 422, 425, 451, 501, 505, 508, 511])(
    'does not repeat status %p',
    (status) => expect(isRetryableHttp(withFields({ status }))).toBe(false),
  );

  it.each<[string, object]>([
    ['status', { status: 503 }],
    ['statusCode', { statusCode: 503 }],
    ['response.status', { response: { status: 503 } }],
    ['response.statusCode', { response: { statusCode: 503 } }],
    ['getStatus()', { getStatus: () => 503 }],
    ['response.status beside a null status', { status: null, response: { status: 503 } }],
  ])('finds the status in %s', (_place, fields) => {
    expect(isRetryableHttp(withFields(fields))).toBe(true);
  });

  it('asks getStatus() on its own error', () => {
    class HttpException extends Error {
      constructor(private readonly code: number) {
        super();
      }
      getStatus(): number {
        return this.code;
      }
    }
    expect(isRetryableHttp(new HttpException(503))).toBe(true);
    expect(isRetryableHttp(new HttpException(404))).toBe(false);
  });

  it.each(['503', true, NaN, 0, 99, 600, 5030, [503]])('takes %p for no status', (status) => {
    expect(isRetryableHttp(withFields({ status }))).toBe(false);
    expect(isRetryableHttp(withFields({ status, code: 'ECONNRESET' }))).toBe(true);
  });

  it('believes an answer rather than the network beneath it', () => {
    const cause = withFields({ code: 'ECONNRESET' });
    expect(isRetryableHttp(withFields({ status: 404 }, new Error('x', { cause })))).toBe(false);
    expect(isRetryableHttp(withFields({ status: 404, code: 'ECONNRESET' }))).toBe(false);
  });

  // B074
  it('does not repeat a programming error, but a failed fetch of the same class', () => {
    let mistake: unknown;
    try {
      (undefined as never as () => void)();
    } catch (error) {
      mistake = error;
    }
    expect(mistake).toBeInstanceOf(TypeError);
    expect(isRetryableHttp(mistake)).toBe(false);
    expect(isRetryableHttp(new TypeError('fetch failed'))).toBe(false);
    expect(
      isRetryableHttp(new TypeError('fetch failed', { cause: withFields({ code: 'UND_ERR_SOCKET' }) })),
    ).toBe(true);
  });

  it('never repeats an abort, wherever it stands', () => {
    const { signal } = new AbortController();
    const aborts = [
      AbortSignal.abort(signal.reason).reason as unknown,
      withFields({ name: 'AbortError', status: 503 }),
      withFields({ code: 'ABORT_ERR' }),
      withFields({ code: 'ERR_CANCELED' }),
    ];
    for (const abort of aborts) {
      expect(isRetryableHttp(abort)).toBe(false);
      expect(isRetryableHttp(new Error('fetch failed', { cause: abort }))).toBe(false);
    }
  });

  it("repeats a client's own timeout", () => {
    expect(isRetryableHttp(new DOMException('too slow', 'TimeoutError'))).toBe(true);
    expect(isRetryableHttp(new Error('x', { cause: new DOMException('too slow', 'TimeoutError') }))).toBe(
      true,
    );
  });

  it('repeats our own timeout and a rejected value, but no refusal of a breaker and no misuse', () => {
    expect(isRetryableHttp(new OperationTimeoutError(1))).toBe(true);
    expect(isRetryableHttp(new ValidationFailedError('shape', 'bad'))).toBe(true);
    const cause = withFields({ status: 503 });
    expect(isRetryableHttp(new CircuitBreakerOpenError('payments', 'open', 5, { cause }))).toBe(false);
    expect(isRetryableHttp(new MisuseError('wrong'))).toBe(false);
    expect(isRetryableHttp(new FallbackChainError([new Error()], cause))).toBe(false); // a filter looks through it itself
  });

  // B119
  it('knows an error of another realm by its name and code', () => {
    const inRealm = (text: string): unknown => runInNewContext(text, { DOMException });
    expect(isRetryableHttp(inRealm(`Object.assign(new Error('x'), { code: 'ECONNRESET' })`))).toBe(true);
    expect(isRetryableHttp(inRealm(`new TypeError('fetch failed', { cause: { code: 'ETIMEDOUT' } })`))).toBe(
      true,
    );
    expect(isRetryableHttp(inRealm(`new TypeError('x is not a function')`))).toBe(false);
    expect(
      isRetryableHttp(inRealm(`Object.assign(new Error('x'), { name: 'AbortError', code: 'ECONNRESET' })`)),
    ).toBe(false);
  });

  // B077
  it.each(['ECONNRESET', 503, undefined, null, Symbol('x'), () => 503, {}, Object.create(null)])(
    'says no to the thrown value %p, without an error of its own',
    (thrown) => expect(isRetryableHttp(thrown)).toBe(false),
  );

  it('survives fields that throw, and causes that form a ring', () => {
    const fails = (): never => {
      throw new Error('no');
    };
    const hostile = Object.defineProperties(new Error(), {
      status: { get: fails },
      name: { get: fails },
      getStatus: { value: fails },
      code: { value: 'ECONNRESET' },
    });
    expect(isRetryableHttp(hostile)).toBe(true);
    const ring = new Error();
    ring.cause = new Error('x', { cause: ring });
    expect(isRetryableHttp(ring)).toBe(false);
  });

  it('as the filter of a retry policy: gives the same error object back, or repeats', async () => {
    const { clock, policy } = onFakeClock({ retryOn: isRetryableHttp });
    const [plain, unavailable] = [new Error('has no status'), withFields({ status: 503 })];
    const fails = failing(plain);
    await expect(clock.settle(policy.run(fails))).rejects.toBe(plain);
    expect(fails).toHaveBeenCalledTimes(1);
    expect(await clock.settle(policy.run(failing(unavailable)))).toBe('done');
    const foreign: unknown = runInNewContext(`new TypeError('of another realm')`);
    await expect(clock.settle(policy.run(jest.fn(() => Promise.reject(foreign))))).rejects.toBe(foreign);
  });
});
