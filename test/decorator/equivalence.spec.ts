import { describe, expect, it } from '@jest/globals';
import {
  CircuitBreaker,
  ConcurrencyLimit,
  ExponentialBackoff,
  fallbackChain,
  IdempotencyPolicy,
  idempotencyPolicy,
  InMemoryIdempotencyStore,
  RateLimitPolicy,
  RetryPolicy,
  TimeoutPolicy,
  validationPolicy,
  validator,
  type AsyncOperation,
} from '../../lib/index.js';
import { POLICY_OPTIONS } from '../../lib/operation/options.js';
import { accountOf, built, noWait, waysIn, World, type Options } from './support.js';

type Fn = (...args: any[]) => any;
type Operation = AsyncOperation<Fn, any>;

interface Case {
  readonly options: Options;
  readonly build: (operation: Operation) => Operation;
  readonly fn: Fn;
  readonly calls?: unknown[][];
}

const down = new RangeError('down');
const fails = (): Fn => () => Promise.reject(down);
const hangs = (): Fn => () => new Promise(() => undefined);
/** Fails twice, then works, for ever again. */
const flaky = (): Fn => {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls % 3 !== 0) throw down;
    return calls;
  };
};
const echo = (): Fn => async (value: unknown) => value;
const after = (world: World, seconds: number) =>
  new Promise<string>((resolve) => void world.clock.setTimer(() => resolve('late'), seconds * 1_000));

const isEven = (value: unknown): boolean => typeof value === 'number' && value % 2 === 0;
const even = validator('isEven', isEven, { message: 'isEven said no' });
const readCache = async (): Promise<string> => 'cached';
const readZero = async (): Promise<number> => 0;

/** Each option, with calls that show what it does, and the builder call that is the same. Made anew for every run. */
const CASES: Record<string, (world: World) => Case> = {
  retries: () => ({
    options: { retries: 2 },
    build: (operation) => operation.withRetry(new RetryPolicy({ maxAttempts: 3 })),
    fn: flaky(),
    calls: [[], []],
  }),
  'retries: 0': () => ({ options: { retries: 0 }, build: (operation) => operation, fn: fails() }),
  'retryOn, a list': () => ({
    options: { retries: 3, retryOn: [TypeError] },
    build: (operation) => operation.withRetry(new RetryPolicy({ maxAttempts: 4, retryOn: [TypeError] })),
    fn: fails(),
  }),
  'retryOn, a function': () => {
    const retryOn = (error: unknown): boolean => error === down;
    return {
      options: { retries: 1, retryOn },
      build: (operation) => operation.withRetry(new RetryPolicy({ maxAttempts: 2, retryOn })),
      fn: fails(),
    };
  },
  backoff: () => {
    const backoff = new ExponentialBackoff({ baseDelay: 1, maxDelay: 60, multiplier: 3, jitter: 'equal' });
    return {
      options: { retries: 3, backoff },
      build: (operation) => operation.withRetry(new RetryPolicy({ maxAttempts: 4, backoff })),
      fn: fails(),
    };
  },
  retry: () => {
    const retry = new RetryPolicy({ maxAttempts: 3, retryOn: [RangeError] });
    return { options: { retry }, build: (operation) => operation.withRetry(retry), fn: flaky() };
  },
  rateLimitOn: () => {
    const rateLimit = new RateLimitPolicy({ rateLimitOn: [Error], retryAfter: () => 7, maxWait: '10s' });
    return {
      options: {
        retries: 2,
        retryOn: [RangeError],
        rateLimitOn: [Error],
        retryAfter: () => 7,
        maxRateLimitWait: '10s',
      },
      build: (operation) =>
        operation
          .withRetry(new RetryPolicy({ maxAttempts: 3, retryOn: [RangeError] }))
          .withRateLimit(rateLimit),
      fn: fails(),
    };
  },
  rateLimit: () => {
    const rateLimit = new RateLimitPolicy({ rateLimitOn: [Error], retryAfter: () => 7, maxWait: 6 });
    return {
      options: { retries: 2, rateLimit },
      build: (operation) => operation.withRetry(new RetryPolicy({ maxAttempts: 3 })).withRateLimit(rateLimit),
      fn: fails(),
    };
  },
  idempotencyKey: () => {
    const store = new InMemoryIdempotencyStore();
    const idempotency = new IdempotencyPolicy({ key: () => 'k', store, ttl: '5m' });
    return {
      options: { idempotencyKey: () => 'k', idempotencyStore: store, idempotencyTtl: '5m' },
      build: (operation) => operation.withIdempotency(idempotency),
      fn: flaky(),
    };
  },
  idempotency: () => {
    const idempotency = idempotencyPolicy(() => 'k', { onInFlight: 'reject', exposeKey: true });
    return {
      options: { retries: 2, idempotency },
      build: (operation) =>
        operation.withRetry(new RetryPolicy({ maxAttempts: 3 })).withIdempotency(idempotency),
      fn: fails(),
    };
  },
  'timeout, a number': () => ({
    options: { timeout: 2, retries: 1, backoff: noWait },
    build: (operation) =>
      operation
        .withRetry(new RetryPolicy({ maxAttempts: 2, backoff: noWait }))
        .withTimeout(new TimeoutPolicy(2)),
    fn: hangs(),
  }),
  'timeout, a text': () => ({
    options: { timeout: '250ms' },
    build: (operation) => operation.withTimeout(new TimeoutPolicy(0.25)),
    fn: hangs(),
  }),
  'timeout, a policy': () => {
    const timeout = new TimeoutPolicy('1m');
    return { options: { timeout }, build: (operation) => operation.withTimeout(timeout), fn: hangs() };
  },
  deadline: () => ({
    options: { deadline: '3s', timeout: '2s', retries: 5, backoff: noWait },
    build: (operation) =>
      operation
        .withDeadline(3)
        .withTimeout(new TimeoutPolicy('2s'))
        .withRetry(new RetryPolicy({ maxAttempts: 6, backoff: noWait })),
    fn: hangs(),
  }),
  circuitBreaker: ({ clock }) => {
    const circuitBreaker = new CircuitBreaker({
      name: 'b',
      failureThreshold: 2,
      recoveryTimeout: '10s',
      clock,
    });
    return {
      options: { circuitBreaker },
      build: (operation) => operation.withCircuitBreaker(circuitBreaker),
      fn: fails(),
      calls: [[], [], [], []],
    };
  },
  'circuitBreaker, through an outage and back': (world) => {
    const circuitBreaker = new CircuitBreaker({
      name: 'b',
      failureThreshold: 1,
      recoveryTimeout: '1s',
      clock: world.clock,
    });
    return {
      options: { circuitBreaker, retries: 2, backoff: { delayForRetry: () => 1 } },
      build: (operation) =>
        operation
          .withCircuitBreaker(circuitBreaker)
          .withRetry(new RetryPolicy({ maxAttempts: 3, backoff: { delayForRetry: () => 1 } })),
      fn: flaky(),
      calls: [[], []],
    };
  },
  maxConcurrent: (world) => {
    const concurrencyLimit = new ConcurrencyLimit({
      name: 'operation',
      maxConcurrent: 1,
      clock: world.clock,
    });
    return {
      options: { maxConcurrent: 1, retries: 1, backoff: noWait },
      build: (operation) =>
        operation
          .withConcurrencyLimit(concurrencyLimit)
          .withRetry(new RetryPolicy({ maxAttempts: 2, backoff: noWait })),
      fn: flaky(),
      calls: [[], []],
    };
  },
  'concurrencyLimit, that is full for a while': ({ clock }) => {
    const concurrencyLimit = new ConcurrencyLimit({
      name: 'pool',
      maxConcurrent: 1,
      queue: { size: 1 },
      clock,
    });
    const busy = (): Promise<unknown> =>
      concurrencyLimit.run(() => new Promise<void>((end) => void clock.setTimer(end, 500)));
    return {
      options: { concurrencyLimit },
      build: (operation) => operation.withConcurrencyLimit(concurrencyLimit),
      fn: async (last: boolean) => {
        if (!last) void busy();
        return 'up';
      },
      calls: [[false], [false], [true]],
    };
  },
  fallback: () => ({
    options: { fallback: readCache },
    build: (operation) => operation.withFallbacks(fallbackChain(['readCache', readCache])),
    fn: fails(),
  }),
  'fallbackOn, which leaves the failure out': () => ({
    options: { fallback: readCache, fallbackOn: [TypeError] },
    build: (operation) =>
      operation.withFallbacks(fallbackChain(['readCache', readCache], { fallbackOn: [TypeError] })),
    fn: fails(),
  }),
  fallbacks: (world) => {
    const fallbacks = fallbackChain(['first', fails()], ['second', () => after(world, 2)]);
    return { options: { fallbacks }, build: (operation) => operation.withFallbacks(fallbacks), fn: fails() };
  },
  'fallbacks that fail': () => {
    const fallbacks = fallbackChain(['first', fails()], ['second', fails()]);
    return { options: { fallbacks }, build: (operation) => operation.withFallbacks(fallbacks), fn: fails() };
  },
  'validate, a function': () => ({
    options: { validate: isEven, retries: 1, backoff: noWait },
    build: (operation) =>
      operation
        .withValidation(validationPolicy(even))
        .withRetry(new RetryPolicy({ maxAttempts: 2, backoff: noWait })),
    fn: echo(),
    calls: [[1], [2]],
  }),
  'validate, a list': () => ({
    options: { validate: [even, (value: number) => Promise.resolve(value > 2)] },
    build: (operation) =>
      operation.withValidation(
        validationPolicy(
          even,
          validator('validate', async (value: number) => value > 2, { message: 'validate said no' }),
        ),
      ),
    fn: echo(),
    calls: [[1], [2], [4]],
  }),
  validation: () => {
    const validation = validationPolicy(even);
    return {
      options: { validation, fallback: readZero },
      build: (operation) =>
        operation.withValidation(validation).withFallbacks(fallbackChain(['readZero', readZero])),
      fn: echo(),
      calls: [[1], [2]],
    };
  },
  'signal, that never aborts': () => {
    const { signal } = new AbortController();
    return {
      options: { signal },
      build: (operation) => operation.withSignal(signal),
      fn: flaky(),
      calls: [[], [], []],
    };
  },
  'signal, found for a call': () => {
    const signal = (given: AbortSignal): AbortSignal => given;
    const call = [new AbortController().signal];
    return {
      options: { signal },
      build: (operation) => operation.withSignal(signal),
      fn: fails(),
      calls: [call],
    };
  },
  'signal, that aborts during a wait': (world) => {
    const signal = (caller: AbortController): AbortSignal => caller.signal;
    const fn = (caller: AbortController): Promise<never> => {
      world.clock.setTimer(() => caller.abort(new Error('gone')), 1_000);
      return Promise.reject(down);
    };
    const backoff = { delayForRetry: () => 5 };
    return {
      options: { signal, retries: 2, backoff },
      build: (operation) =>
        operation.withSignal(signal).withRetry(new RetryPolicy({ maxAttempts: 3, backoff })),
      fn,
      calls: [[new AbortController()]],
    };
  },
  'idempotent: false': () => ({
    options: { idempotent: false, timeout: 1, retries: 3 },
    build: (operation) =>
      operation
        .withIdempotent(false)
        .withTimeout(new TimeoutPolicy(1))
        .withRetry(new RetryPolicy({ maxAttempts: 4 })),
    fn: hangs(),
  }),
  events: () => ({ options: {}, build: (operation) => operation, fn: flaky(), calls: [[], [], []] }),
};

describe('an option of a decorator, of resilient() and the builder give the same events and report', () => {
  it.each(Object.keys(CASES))('%s [R243]', async (option) => {
    const make = CASES[option] as (world: World) => Case;
    const [decorated, wrapped, builder] = await Promise.all([
      ...waysIn.map(([, protect]) =>
        accountOf((world, events) => {
          const { options, fn, calls = [[]] } = make(world);
          return { run: protect(world, { name: 'operation', events, ...options }, fn), calls };
        }),
      ),
      accountOf((world, events) => {
        const { build, fn, calls = [[]] } = make(world);
        const operation = build(built(world, fn)).withEvents(events);
        return { run: (...args) => operation.run(...args), calls };
      }),
    ]);
    expect(decorated).toEqual(builder);
    expect(wrapped).toEqual(builder);
    expect(builder?.events.length).toBeGreaterThan(2);
    expect(builder?.pendingTimers).toBe(0);
  });

  it('and no option is forgotten here', () => {
    const covered = Object.values(CASES).flatMap((make) => Object.keys(make(new World()).options));
    // Listeners concern methods; events are given to every case.
    const others = ['onReport', 'events'];
    expect(new Set([...covered, ...others])).toEqual(new Set(POLICY_OPTIONS));
  });
});
