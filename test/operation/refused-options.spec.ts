import { describe, expect, it } from '@jest/globals';
import {
  asyncOperation,
  CircuitBreaker,
  httpPolicy,
  resilient,
  RetryPolicy,
  TimeoutPolicy,
} from '../../lib/index.js';
import { checkMergedOptions } from '../../lib/operation/check-options.js';
import { FakeClock } from '../../lib/testing/index.js';
import { gives, listenersOf, rejects, thrown, Upstream } from './support.js';

const messageOf = (options: object): string => {
  return thrown(() => resilient({ name: 'op', ...options }, gives(1))).message;
};
const blank = 'a blank string';

describe('an option of a resilient function', () => {
  it.each<[string, unknown, string]>([
    ['backoff', 5, 'op: backoff is '],
    ['maxConcurrent', 0, 'op: maxConcurrent is the number 0; give a whole number, 1 or more'],
    ['rateLimitOn', [], 'op: rateLimitOn is '],
    [
      'retry',
      3,
      'op: retry is the number 3; give a RetryPolicy, or false; a number of retries is the option retries',
    ],
    ['fallbacks', 3, 'op: fallbacks is the number 3; give a chain made with fallbackChain(), or false'],
    ['rateLimit', 3, 'op: rateLimit is the number 3; give a RateLimitPolicy, or false'],
    [
      'idempotencyStore',
      3,
      'op: idempotencyStore is the number 3; give an IdempotencyStore, an object with claim()',
    ],
    ['idempotency', 3, 'op: idempotency is the number 3; give an IdempotencyPolicy, or false'],
    ['validation', 3, 'op: validation is the number 3; give a policy made with validationPolicy(), or false'],
    ['events', 3, 'op: events is the number 3; give an EventEmitter'],
    ['signal', 3, 'op: signal is the number 3; give an AbortSignal, or a function that finds one'],
    ['idempotent', 3, 'op: idempotent is the number 3; give true or false'],
    ['circuitBreaker', ' ', `op: circuitBreaker is ${blank}; give the name of a circuit breaker, a `],
    [
      'circuitBreaker',
      { name: 'db', admit: () => 1 },
      'op: circuitBreaker is an object; give the name of a ',
    ],
    ['circuitBreaker', { name: 'db', recordFailure: () => 1 }, 'op: circuitBreaker is an object; give the '],
    [
      'circuitBreaker',
      { name: 'db', key: () => 'a', kye: 1 },
      'op: kye is not an option here; did you mean key?',
    ],
    ['concurrencyLimit', ' ', `op: concurrencyLimit is ${blank}; give the name of a concurrency limit or a `],
    [
      'fallback',
      ' ',
      `op: fallback is ${blank}; give a function, or the name of another method of the class`,
    ],
  ])('is refused with its name and a cure: %s %p', (option, value, message) => {
    expect(messageOf({ [option]: value })).toContain(message);
  });

  it('is one of an object: a policy for HTTP takes nothing else', () => {
    expect(thrown(() => httpPolicy(5 as never)).message).toBe(
      'httpPolicy: options is the number 5; give an object of options',
    );
  });

  it('may be the name of a concurrency limit', () => {
    expect(() => resilient({ name: 'op', concurrencyLimit: 'pool' }, gives(1))).not.toThrow();
  });

  it('may be false, which asks for nothing else', () => {
    const none = { retry: false, idempotency: false, rateLimit: false, fallback: false } as const;
    const rest = { idempotencyTtl: 5, retryAfter: () => 1, maxRateLimitWait: 1, fallbackOn: [Error] };
    expect(() => checkMergedOptions({ ...none, ...rest }, rest)).not.toThrow();
    expect(() => checkMergedOptions(rest, { idempotencyTtl: 5 })).toThrow(
      'idempotencyTtl is given without idempotencyKey; add idempotencyKey, or leave idempotencyTtl out',
    );
  });

  it.each([
    ['maxConcurrent', 'concurrencyLimit', { maxConcurrent: 1, concurrencyLimit: 'pool' }],
    ['retries', 'retry', { retries: 1, retry: new RetryPolicy() }],
    ['retryOn', 'retry', { retryOn: [Error], retry: false }],
  ])('is refused beside another that says the same: %s, %s', (part, whole, options) => {
    expect(messageOf(options)).toBe(
      `op: ${part} is given together with ${whole}; put it into ${whole}, or leave ${whole} out`,
    );
  });

  it('is refused where a lease of probes is shorter than the timeout', () => {
    const circuitBreaker = new CircuitBreaker({ name: 'db', probes: { concurrent: 1, lease: 2 } });
    expect(messageOf({ circuitBreaker, timeout: 5 })).toBe(
      'op: circuitBreaker has probes with a lease of 2 s, shorter than the timeout of 5 s; ' +
        'give the lease at least the timeout, or leave it out',
    );
  });
});

describe('a policy of a builder', () => {
  it.each(['withRetry', 'withTimeout', 'withCircuitBreaker', 'withIdempotent'] as const)(
    'has to be given: %s',
    (method) => {
      const operation = asyncOperation('op', gives(1));
      expect(() => operation[method](undefined as never)).toThrow(
        /^op: \w+ is undefined; give the policy object itself$/,
      );
    },
  );

  it('has no short form', () => {
    const operation = asyncOperation('op', gives(1));
    for (const short of [
      () => operation.withTimeout(5 as never),
      () => operation.withCircuitBreaker('db' as never),
      () => operation.withConcurrencyLimit('pool' as never),
      () => operation.withRetry(false as never),
    ])
      expect(short).toThrow(/; give the policy object itself$/);
    expect(operation.withIdempotent(false).withTimeout(new TimeoutPolicy(1)).describe()).toContain('op: ');
  });
});

describe('a call with options of its own', () => {
  it('refuses what is none, and a signal that is none', () => {
    const operation = asyncOperation('op', gives(1));
    expect(() => operation.runWith(5 as never)).toThrow('runWith is the number 5; give an object of options');
    expect(() => operation.runWith({ signal: 5 as never })).toThrow(
      'signal is the number 5; give an AbortSignal',
    );
    expect(() => operation.runWith({ sigal: 5 } as never)).toThrow('did you mean signal?');
  });

  it('needs no signal, and lets go of one', async () => {
    const operation = asyncOperation('op', (value: string) => Promise.resolve(value));
    const { signal } = new AbortController();
    expect((await operation.runWith({}, 'a')).value).toBe('a');
    expect((await operation.runWith({ signal: undefined }, 'b')).value).toBe('b');
    expect((await operation.runWith({ signal }, 'c')).value).toBe('c');
    expect(listenersOf(signal)).toBe(0);
  });
});

describe('an operation that is given chance alone', () => {
  it('waits as that says', async () => {
    const drawn: number[] = [];
    const random = () => {
      drawn.push(0);
      return 0;
    };
    const failing = () => new Upstream(rejects(new Error('no')), gives('good')).call;
    const built = asyncOperation('op', failing(), { random }).withRetry(new RetryPolicy());
    expect((await built.run()).value).toBe('good');
    expect((await resilient({ name: 'op', random, retries: 1 }, failing())()).value).toBe('good');
    expect(drawn).toEqual([0, 0]);
  });

  it('takes its time from the clock that it is given', async () => {
    const clock = new FakeClock();
    const { report } = await clock.settle(resilient({ name: 'op', clock }, gives(1))());
    expect(report.startedAt.getTime()).toBe(clock.wallMs());
  });
});
