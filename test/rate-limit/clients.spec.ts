import { describe, expect, it } from '@jest/globals';
import { AxiosError, AxiosHeaders } from 'axios';
import {
  asyncOperation,
  CircuitBreakerOpenError,
  FallbackChainError,
  retryAfterExtractor,
  retryAfterFromHeaders,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { rejection, thrown } from '../operation/support.js';
import { NOW, NOW_MS, refused } from './support.js';

const failed = (fields: object) => Object.assign(new Error('of a client'), fields);
const plain = { 'retry-after': '7' };

/** The part of `@grpc/grpc-js`'s Metadata that matters. */
class Metadata {
  protected internalRepr = new Map<string, (string | Buffer)[]>();
  add(key: string, value: string | Buffer): this {
    this.internalRepr.set(key, [...this.get(key), value]);
    return this;
  }
  get(key: string): (string | Buffer)[] {
    return this.internalRepr.get(key) ?? [];
  }
  getMap(): Record<string, string | Buffer | undefined> {
    return Object.fromEntries([...this.internalRepr].map(([key, [first]]) => [key, first]));
  }
}

const pushedBack = (value: string) =>
  failed({ code: 14, details: 'unavailable', metadata: new Metadata().add('grpc-retry-pushback-ms', value) });

const axiosFailure = () =>
  new AxiosError(
    'Request failed with status code 429',
    'ERR_BAD_REQUEST',
    undefined,
    {},
    {
      status: 429,
      statusText: 'Too Many Requests',
      data: '',
      headers: new AxiosHeaders({ 'Retry-After': '7' }),
      config: { headers: new AxiosHeaders({ 'Retry-After': '99' }) },
    },
  );

describe('the headers of a failure', () => {
  it.each<[client: string, failure: unknown]>([
    ['a fetch Response that was thrown', new Response('', { status: 429, headers: plain })],
    ['an error with a fetch Response (ky)', failed({ name: 'HTTPError', response: new Response('', { status: 429, headers: plain }), request: {}, options: {} })], // prettier-ignore
    ['axios', axiosFailure()],
    ['got', failed({ name: 'HTTPError', code: 'ERR_NON_2XX_3XX_RESPONSE', response: { statusCode: 429, headers: plain, rawHeaders: ['Retry-After', '7'] } })], // prettier-ignore
    [
      'undici, its ResponseError',
      failed({ code: 'UND_ERR_RESPONSE', statusCode: 429, headers: plain, data: {} }),
    ],
    ['undici, its RequestRetryError', failed({ code: 'UND_ERR_REQ_RETRY', statusCode: 429, headers: plain, data: { count: 3 } })], // prettier-ignore
    ['undici with raw headers', failed({ statusCode: 429, headers: ['Server', 'x', 'Retry-After', '7'] })],
    ['undici with raw headers in bytes', failed({ statusCode: 429, headers: [Buffer.from('Retry-After'), Buffer.from('7')] })], // prettier-ignore
    ['openai and anthropic', failed({ status: 429, headers: new Headers(plain), error: {}, code: 'rate_limit_exceeded' })], // prettier-ignore
    [
      'openai and anthropic, before',
      failed({ status: 429, headers: plain, error: { type: 'rate_limit_error' } }),
    ],
    [
      'octokit',
      failed({ name: 'HttpError', status: 429, request: {}, response: { status: 429, headers: plain } }),
    ],
    ['the clients of AWS', failed({ name: 'ThrottlingException', $metadata: { httpStatusCode: 429 }, $response: { statusCode: 429, headers: plain } })], // prettier-ignore
    ['the AI SDK', failed({ name: 'AI_APICallError', statusCode: 429, responseHeaders: plain })],
    ['a connect error', failed({ name: 'ConnectError', code: 8, metadata: new Headers(plain) })],
    ['grpc-js', pushedBack('7000')],
  ])('are found where they are in that of %s', (_client, failure) => {
    expect(retryAfterFromHeaders(failure, NOW)).toBe(7);
  });

  // B094
  it.each<[form: string, headers: unknown]>([
    ['a plain object', { 'Retry-After': '7' }],
    ['lower case', { 'retry-after': '7' }],
    ['any case, in a list', { 'rEtRy-AfTeR': ['7'] }],
    ['a number', { 'Retry-After': 7 }],
    ['Headers', new Headers({ 'Retry-After': '7' })],
    ['a map', new Map([['Retry-After', '7']])],
    ['a map of lists', new Map([['Retry-After', ['7']]])],
    ['pairs', [['Retry-After', '7']]], // prettier-ignore
    ['a flat list', ['Retry-After', '7']],
    ['AxiosHeaders', new AxiosHeaders({ 'Retry-After': '7' })],
    ['an object without a prototype', Object.assign(Object.create(null), { 'Retry-After': '7' })],
    ['something with only a get', { get: (name: string) => (name === 'retry-after' ? '7' : null) }],
  ])('are read from %s', (_form, headers) => {
    expect(retryAfterFromHeaders(failed({ headers }), NOW)).toBe(7);
    expect(retryAfterFromHeaders(failed({ response: { headers } }), NOW)).toBe(7);
  });

  it.each<[value: string, seconds: number | undefined]>([
    ['1500', 1.5],
    ['0', undefined],
    ['-1', 2_147_483_648],
    ['never', 2_147_483_648],
    ['', 2_147_483_648],
  ])(
    'of gRPC may push back by %p ms, where "not again" is a wait that no limit allows: %p',
    (value, seconds) => {
      expect(retryAfterFromHeaders(pushedBack(value), NOW)).toBe(seconds);
    },
  );

  it('of gRPC are found in every form of its metadata', () => {
    const { metadata } = pushedBack('1500') as unknown as { metadata: Metadata };
    const forms = [
      metadata,
      { getMap: () => metadata.getMap() },
      { get: (name: string) => metadata.get(name) },
      { 'grpc-retry-pushback-ms': '1500' },
    ];
    for (const form of forms) expect(retryAfterFromHeaders(failed({ metadata: form }), NOW)).toBe(1.5);
    const withBinary = new Metadata()
      .add('details-bin', Buffer.from('7'))
      .add('grpc-retry-pushback-ms', '1500');
    expect(retryAfterFromHeaders(failed({ metadata: withBinary }), NOW)).toBe(1.5);
  });

  it.each(['12x', 'x12', '-1', '1.5', ''])('of gRPC that push back by %p forbid another try', (value) => {
    expect(retryAfterFromHeaders(pushedBack(value), NOW)).toBe(2_147_483_648);
  });

  it('are found beneath causes and beneath wrappers of ours', async () => {
    const failure = refused(plain);
    const operation = asyncOperation('op', () => Promise.reject(failure));
    const wrappers = [
      new Error('fetch failed', { cause: failure }),
      new Error('outer', { cause: new Error('inner', { cause: failure }) }),
      await rejection(operation.run()),
      new FallbackChainError([refused({ 'retry-after': '99' })], failure),
    ];
    for (const wrapper of wrappers) expect(retryAfterFromHeaders(wrapper, NOW)).toBe(7);
  });

  it('of the outer failure go first, and 0 is an answer too', () => {
    const beneath = (headers: object) => failed({ headers, cause: refused({ 'retry-after': '99' }) });
    expect(retryAfterFromHeaders(beneath(plain), NOW)).toBe(7);
    expect(retryAfterFromHeaders(beneath({ 'retry-after': '0' }), NOW)).toBeUndefined();
    expect(retryAfterFromHeaders(beneath({ 'retry-after': 'x' }), NOW)).toBe(99);
  });

  it('of an earlier attempt, beneath the refusal of a circuit breaker, were waited for already', () => {
    const refusal = new CircuitBreakerOpenError('b', 'open', 30, { cause: refused(plain) });
    expect(retryAfterFromHeaders(refusal, NOW)).toBeUndefined();
  });

  it('are read from the raw ones where a client has both, as Node keeps one of two', () => {
    const response = {
      statusCode: 429,
      headers: { 'retry-after': '5' },
      rawHeaders: ['Retry-After', '5', 'Retry-After', '7'],
    };
    expect(retryAfterFromHeaders(failed({ response }), NOW)).toBe(7);
    expect(retryAfterFromHeaders(failed({ response: { ...response, rawHeaders: ['x', 'y'] } }), NOW)).toBe(5);
  });

  it('of the request are never read', () => {
    const failure = failed({
      status: 429,
      config: { headers: plain },
      request: { headers: plain },
      options: { headers: plain },
    });
    expect(retryAfterFromHeaders(failure, NOW)).toBeUndefined();
  });

  it.each([undefined, null, 'boom', 7, Symbol('x'), () => plain, {}, [], Object.create(null), new Error()])(
    'of the thrown value %p are none',
    (value) => expect(retryAfterFromHeaders(value, NOW)).toBeUndefined(),
  );

  it('that cannot be read are none, and those beside them are', () => {
    const fails = (): never => {
      throw new Error('no');
    };
    const hostile = Object.defineProperty(failed({ responseHeaders: plain }), 'headers', { get: fails });
    expect(retryAfterFromHeaders(hostile, NOW)).toBe(7);
    const proxy = new Proxy({}, { get: fails, ownKeys: fails, has: fails });
    expect(retryAfterFromHeaders(failed({ headers: proxy, responseHeaders: plain }), NOW)).toBe(7);
    expect(retryAfterFromHeaders(proxy, NOW)).toBeUndefined();
    const odd = [
      5,
      true,
      [[]],
      [['a']],
      [[{}, {}]],
      { get: 5 },
      { get: fails },
      { getMap: fails },
      { getMap: () => 5 },
    ];
    for (const headers of odd) expect(retryAfterFromHeaders(failed({ headers }), NOW)).toBeUndefined();
  });

  it('end, even where a list of them does not; and so do causes that form a ring', () => {
    const endless = (function* () {
      for (;;) yield ['x', 'y'];
    })();
    expect(retryAfterFromHeaders(failed({ headers: endless }), NOW)).toBeUndefined();
    const ring = new Error();
    ring.cause = new Error('x', { cause: ring });
    expect(retryAfterFromHeaders(ring, NOW)).toBeUndefined();
  });
});

describe('an extractor of headers', () => {
  it('by itself goes by the clock of the machine', () => {
    const soon = new Date(Date.now() + 60_000).toUTCString();
    const seconds = retryAfterFromHeaders(refused({ 'retry-after': soon })) as number;
    expect(seconds).toBeGreaterThan(55);
    expect(seconds).toBeLessThanOrEqual(60);
  });

  it('with a clock of its own keeps to it', async () => {
    const clock = new FakeClock({ startAt: new Date(NOW_MS) });
    const extract = retryAfterExtractor({ clock });
    const failure = refused({ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' });
    expect(extract(failure, { nowMs: 0 })).toBe(60);
    await clock.advance(20);
    expect(extract(failure)).toBe(40);
    expect(retryAfterExtractor()(failure, NOW)).toBe(60);
  });

  it('asks the headers that the application names first, as it would ask for a reset', () => {
    const extract = retryAfterExtractor({ headers: ['X-Shop-Reset-At', ' x-pause '] });
    expect(extract(refused({ 'x-shop-reset-at': '1767225609', 'retry-after': '3' }, 400), NOW)).toBe(9);
    expect(extract(refused({ 'X-PAUSE': '2m' }, 400), NOW)).toBe(120);
    expect(extract(refused({ 'x-shop-reset-at': 'soon', 'retry-after': '3' }), NOW)).toBe(3);
    expect(extract(refused(plain), NOW)).toBe(7);
  });

  it.each<[options: unknown, option: string]>([
    [{ headers: 'X-Pause' }, 'headers'],
    [{ headers: [' '] }, 'headers[0]'],
    [{ headers: ['x', 5] }, 'headers[1]'],
    [{ header: ['X-Pause'] }, 'header'],
    [{ clock: 5 }, 'clock'],
    [null, 'retryAfterExtractor'],
  ])('refuses the options %p', (options, option) => {
    expect(thrown(() => retryAfterExtractor(options as never))).toMatchObject({
      name: 'ConfigurationError',
      option,
    });
  });
});
