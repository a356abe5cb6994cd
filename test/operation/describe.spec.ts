import { describe, expect, it } from '@jest/globals';
import {
  CircuitBreaker,
  ConcurrencyLimit,
  ExponentialBackoff,
  IdempotencyPolicy,
  RateLimitPolicy,
  RetryPolicy,
  Shield,
  type Jitter,
} from '../../lib/index.js';
import { describeOperation, describeSettings, printDescription } from '../../lib/operation/describe.js';
import { mergeLayers } from '../../lib/operation/merge-options.js';
import { printOption } from '../../lib/operation/print-option.js';

const summaryOf = (settings: object): string => describeSettings('op', settings);

describe('the policies of an operation in one line', () => {
  it('say of idempotency how long results are kept, and whether duplicates are refused', () => {
    const idempotency = (onInFlight: 'join' | 'reject') =>
      new IdempotencyPolicy({ key: () => 'k', ttl: '5m', onInFlight });
    expect(summaryOf({ idempotency: idempotency('join') })).toBe('op: idempotency (kept for 300 s) > method');
    expect(summaryOf({ idempotency: idempotency('reject') })).toBe(
      'op: idempotency (kept for 300 s, duplicates in flight refused) > method',
    );
  });

  it('say which shield there is', () => {
    expect(summaryOf({ shield: new Shield('bank') })).toBe("op: shield 'bank' > method");
    expect(summaryOf({ shield: () => undefined })).toBe('op: shield of the instance > method');
  });

  it('say which concurrency limit there is', () => {
    const limit = new ConcurrencyLimit({ name: 'pool', maxConcurrent: 2 });
    expect(['pool', limit, 3].map((concurrencyLimit) => summaryOf({ concurrencyLimit }))).toEqual([
      "op: concurrency limit 'pool' > method",
      "op: concurrency limit 'pool' > method",
      'op: at most 3 at once > method',
    ]);
  });
});

describe('a policy in that line', () => {
  it('is told with its numbers: rate limits', () => {
    const rateLimit = new RateLimitPolicy({ rateLimitOn: [Error], maxWait: 45 });
    expect(summaryOf({ rateLimit })).toBe('op: rate limits (waits up to 45 s) > method');
  });

  it.each<[Jitter, string]>([
    [true, 'full jitter'],
    [false, 'no jitter'],
    ['equal', 'equal jitter'],
    [{ percent: 20 }, '20 % jitter'],
  ])('is told with its numbers: a back-off with jitter %p', (jitter, told) => {
    const backoff = new ExponentialBackoff({ baseDelay: 1, maxDelay: 8, multiplier: 3, jitter });
    const retry = new RetryPolicy({ maxAttempts: 2, backoff });
    expect(summaryOf({ retry })).toBe(`op: up to 2 attempts (1 s × 3, at most 8 s, ${told}) > method`);
  });

  it('is told by its name: a circuit breaker, however it is given', () => {
    const key = () => 'k';
    const choices = ['db', new CircuitBreaker({ name: 'db' }), { name: 'db', key }, key];
    expect(choices.map((circuitBreaker) => summaryOf({ circuitBreaker }))).toEqual([
      "op: circuit breaker 'db' > method",
      "op: circuit breaker 'db' > method",
      "op: circuit breaker 'db' by key > method",
      'op: circuit breaker of the call > method',
    ]);
  });
});

describe('an operation and its layers', () => {
  const validate = () => true;
  const isGood = () => true;
  const layers = [
    { from: 'defaults', options: { timeout: '10s', retry: false } },
    { from: 'decorator', options: { onReport: isGood, validate, timeout: '2s', retries: 1 } },
    { from: 'operations', options: { timeout: '1s' } },
  ];
  const description = describeOperation('op', {}, layers as never);

  it('are listed in the order of the documentation, with what each hides', () => {
    expect(description.options).toEqual([
      {
        option: 'retries',
        value: '1',
        from: 'decorator',
        over: [{ option: 'retry', value: 'false', from: 'defaults' }],
      },
      {
        option: 'timeout',
        value: "'1s'",
        from: 'operations',
        over: [
          { option: 'timeout', value: "'2s'", from: 'decorator' },
          { option: 'timeout', value: "'10s'", from: 'defaults' },
        ],
      },
      { option: 'validate', value: 'a function', from: 'decorator', over: [] },
      { option: 'onReport', value: expect.stringContaining('isGood'), from: 'decorator', over: [] },
    ]);
  });

  it('have no name among their options, and what concerns methods only goes last', () => {
    const given = { name: 'op', throws: 'cause', use: 'p', onReport: isGood, retries: 1 };
    const { options } = describeOperation('op', {}, [{ from: 'decorator', options: given }] as never);
    expect(options.map(({ option }) => option)).toEqual(['retries', 'onReport', 'throws', 'use']);
  });

  it('are printed as lines', () => {
    expect(printDescription(description).split('\n').slice(0, 4)).toEqual([
      'op: method',
      '  retries 1 (decorator), over retry false (defaults)',
      "  timeout '1s' (operations), over '2s' (decorator), '10s' (defaults)",
      '  validate a function (decorator)',
    ]);
  });
});

describe('the value of an option, for people', () => {
  class OwnBackoff {}
  const anonymous = (
    () => () =>
      1
  )();
  it.each([
    ['10s', "'10s'"],
    [3, '3'],
    [false, 'false'],
    [function isGood() {}, 'isGood'],
    [anonymous, 'a function'],
    [[TypeError, 'x', 2], "[TypeError, 'x', 2]"],
    [null, 'null'],
    [undefined, 'undefined'],
    [{}, 'an object'],
    [Object.create(null), 'an object'],
    [{ constructor: 5 }, 'an object'],
    [new OwnBackoff(), 'OwnBackoff'],
    [{ name: 'payments', key: () => 'k' }, "an object 'payments'"],
    [{ name: 5 }, 'an object'],
    [new Shield('bank'), "Shield 'bank'"],
  ])('is what was written where that is short, else its kind: %p', (value, text) => {
    expect(printOption(value)).toBe(text);
  });
});

describe('an option in another form', () => {
  const merged = (below: object, above: object) =>
    mergeLayers([
      { from: 'defaults', options: below },
      { from: 'decorator', options: above },
    ] as never).map(({ option, over }) => [option, over.map((hidden) => hidden.option)]);

  it.each([
    ['retries', 'retry'],
    ['maxConcurrent', 'concurrencyLimit'],
    ['idempotencyTtl', 'idempotency'],
    ['retryAfter', 'rateLimit'],
  ])('hides the other, whichever is above: %s, %s', (part, whole) => {
    expect(merged({ [part]: 1 }, { [whole]: false })).toEqual([[whole, [part]]]);
    expect(merged({ [whole]: false }, { [part]: 1 })).toEqual([[part, [whole]]]);
  });

  it('leaves the place of keys where it is', () => {
    expect(merged({ idempotencyStore: {} }, { idempotency: {} })).toEqual([
      ['idempotencyStore', []],
      ['idempotency', []],
    ]);
  });

  it('hides nothing where it is not given', () => {
    expect(merged({ retries: 1 }, { retry: undefined, retries: undefined })).toEqual([['retries', []]]);
  });

  it('lists what several layers said, each in its form, the nearest first', () => {
    const backoff = { delayForRetry: () => 1 };
    const layers = [
      { from: 'defaults', options: { retries: 1 } },
      { from: "policy 'p'", options: { backoff } },
      { from: 'decorator', options: { retry: false } },
    ];
    expect(mergeLayers(layers as never)).toEqual([
      {
        option: 'retry',
        value: false,
        from: 'decorator',
        over: [
          { option: 'backoff', value: backoff, from: "policy 'p'" },
          { option: 'retries', value: 1, from: 'defaults' },
        ],
      },
    ]);
  });

  it('of many layers is listed with all that it hides, the nearest first', () => {
    const layers = [
      { from: 'defaults', options: { retries: 1 } },
      { from: "policy 'p'", options: { retry: false } },
      { from: 'decorator', options: { retries: 2 } },
    ];
    expect(mergeLayers(layers as never)[0]?.over).toEqual([
      { option: 'retry', value: false, from: "policy 'p'" },
      { option: 'retries', value: 1, from: 'defaults' },
    ]);
  });
});
