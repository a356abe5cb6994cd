import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import {
  CircuitBreaker,
  ConcurrencyLimit,
  EventEmitter,
  ExponentialBackoff,
  fallbackChain,
  IdempotencyPolicy,
  InMemoryEventSink,
  InMemoryIdempotencyStore,
  RateLimitPolicy,
  Resilient,
  RetryPolicy,
  TimeoutPolicy,
  validationPolicy,
  validator,
  type MethodOptions,
} from '../../lib/index.js';
import { POLICY_OPTIONS } from '../../lib/operation/options.js';
import { ResilienceExecutor, type ResilienceModuleOptions } from '../../nest-module/index.js';
import { start } from './support.js';

const waits = { delayForRetry: () => 0 };
const failure = (): boolean => true;
const read = async (): Promise<void> => undefined;
const isGood = (): boolean => true;
const told = (): void => undefined;
const hint = (): undefined => undefined;
const key = (): string => 'k';
const store = new InMemoryIdempotencyStore();
const chain = fallbackChain(['cache', read]);
const events = new EventEmitter({ sinks: [new InMemoryEventSink()] });
const validation = validationPolicy(validator('good', isGood, { message: 'not good' }));

/** What an option needs beside it to make sense. */
const COMPANIONS: Record<string, MethodOptions> = {
  retryOn: { retries: 1 },
  backoff: { retries: 1 },
  fallbackOn: { fallback: read },
  retryAfter: { rateLimitOn: failure },
  maxRateLimitWait: { rateLimitOn: failure },
  idempotencyStore: { idempotencyKey: key },
  idempotencyTtl: { idempotencyKey: key },
};

/** For each option a value of each layer, from the bottom up. `operations` takes data alone. */
const VALUES: Record<string, [defaults: unknown, policy: unknown, decorator: unknown, operations?: unknown]> =
  {
    retries: [1, 2, 3, 4],
    retryOn: [[TypeError], [RangeError], failure],
    backoff: [waits, new ExponentialBackoff(), waits, { baseDelay: 1 }],
    retry: [new RetryPolicy(), false, new RetryPolicy(), false],
    timeout: ['1s', new TimeoutPolicy(2), 3, '4s'],
    deadline: [10, '20s', '30s', 40],
    circuitBreaker: ['a', new CircuitBreaker({ name: 'own' }), 'b', 'c'],
    maxConcurrent: [1, 2, 3, '4'],
    concurrencyLimit: ['x', new ConcurrencyLimit({ name: 'own', maxConcurrent: 1 }), 'y', 'z'],
    fallback: ['one', 'two', read, 'three'],
    fallbacks: [chain, false, chain, false],
    fallbackOn: [[TypeError], [RangeError], failure],
    rateLimitOn: [[TypeError], [RangeError], failure],
    retryAfter: [hint, () => null, hint],
    maxRateLimitWait: ['1s', 2, '3s', '4s'],
    rateLimit: [new RateLimitPolicy({ rateLimitOn: failure }), false, false, false],
    idempotencyKey: [key, () => 'other', key],
    idempotencyStore: [store, new InMemoryIdempotencyStore(), store],
    idempotencyTtl: ['1s', 2, '3s', '4s'],
    idempotency: [new IdempotencyPolicy({ key }), false, new IdempotencyPolicy({ key }), false],
    validate: [isGood, [isGood], isGood, false],
    validation: [validation, false, validation, false],
    events: [events, events, events],
    signal: [() => undefined, new AbortController().signal, () => undefined],
    idempotent: [true, false, true, false],
    onReport: [told, () => 0, told],
    throws: ['original', 'execution-error', 'original', 'execution-error'],
  };

const circuitBreakers = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
const concurrencyLimits = ['x', 'y', 'z'].map((name) => ({ name, maxConcurrent: 10 }));

/** An application where `all` meets every layer, and each method after it one less. */
async function layered(option: string) {
  const [defaults, policy, decorator, operations] = VALUES[option] as unknown[];
  const saying = (value: unknown) => ({ [option]: value }) as MethodOptions;
  @Injectable()
  class Client {
    @Resilient({ ...saying(decorator), use: 'named' } as object)
    async all(): Promise<void> {}

    @Resilient({ ...saying(decorator), use: 'named' } as object)
    async code(): Promise<void> {}

    @Resilient({ ...saying(undefined), use: 'named' } as object)
    async named(): Promise<void> {}

    @Resilient(saying(undefined) as object)
    async none(): Promise<void> {}

    async one(): Promise<void> {}
    async two(): Promise<void> {}
    async three(): Promise<void> {}
  }
  const app = await start({ providers: [Client] }, {
    circuitBreakers,
    concurrencyLimits,
    defaults: { ...COMPANIONS[option], ...saying(defaults) },
    policies: { named: saying(policy) },
    operations: {
      'Client.all': saying(operations),
      'Client.code': saying(undefined),
      'Client.named': undefined,
    },
  } as ResilienceModuleOptions);
  return (method: string) => {
    const { options } = app.get(ResilienceExecutor).descriptionOf(`Client.${method}`);
    const found = options.find((described) => described.option === option);
    return found && { value: found.value, places: [found.from, ...found.over.map(({ from }) => from)] };
  };
}

describe('operations lie over the decorator, over the named policy, over the defaults', () => {
  it('for every option', () => {
    expect(Object.keys(VALUES)).toEqual([...POLICY_OPTIONS, 'throws']);
  });

  it.each(Object.keys(VALUES))('%s', async (option) => {
    const describedAt = await layered(option);
    const below = ["policy 'named'", 'defaults'];
    const isData = VALUES[option]?.length === 4;
    expect(describedAt('all')?.places).toEqual([...(isData ? ['operations'] : []), 'decorator', ...below]);
    expect(describedAt('code')?.places).toEqual(['decorator', ...below]);
    expect(describedAt('named')?.places).toEqual(below);
    expect(describedAt('none')?.places).toEqual(['defaults']);
  });

  it('by value, down to what the library does of itself', async () => {
    const describedAt = await layered('timeout');
    expect(['all', 'code', 'named', 'none'].map((method) => describedAt(method)?.value)).toEqual([
      "'4s'",
      '3',
      'TimeoutPolicy',
      "'1s'",
    ]);
  });
});

/** How an application reads the policies of one method. */
async function summaryOf(decorator: MethodOptions, options: ResilienceModuleOptions): Promise<string> {
  @Injectable()
  class Client {
    @Resilient(decorator as object)
    async call(): Promise<void> {}

    async stand(): Promise<void> {}
  }
  const app = await start({ providers: [Client] }, { circuitBreakers, concurrencyLimits, ...options });
  return app.get(ResilienceExecutor).descriptionOf('Client.call').summary.replace('Client.call: ', '');
}

describe('a policy is switched off', () => {
  const on: MethodOptions = {
    retries: 2,
    backoff: waits,
    timeout: 1,
    deadline: 9,
    circuitBreaker: 'a',
    concurrencyLimit: 'x',
    fallback: 'stand',
    validate: isGood,
    rateLimitOn: failure,
  };
  const off = {
    retries: 0,
    timeout: false,
    deadline: false,
    circuitBreaker: false,
    concurrencyLimit: false,
    fallback: false,
    validate: false,
    rateLimit: false,
  } as const;
  const whole = { retry: false, fallbacks: false, validation: false } as const;

  it.each<[string, MethodOptions, ResilienceModuleOptions]>([
    ['by a decorator, of the defaults', off, { defaults: on }],
    ['by a decorator, of a named policy', { ...off, use: 'on' }, { policies: { on } }],
    ['by a named policy, of the defaults', { use: 'off' }, { defaults: on, policies: { off } }],
    ['by operations, of the decorator', on, { operations: { 'Client.call': off } }],
    [
      'by operations, of a named policy',
      { use: 'on' },
      { policies: { on }, operations: { 'Client.call': off } },
    ],
    ['by operations, of the defaults', {}, { defaults: on, operations: { 'Client.call': off } }],
    [
      'in its other form',
      {
        ...whole,
        timeout: false,
        deadline: false,
        circuitBreaker: false,
        concurrencyLimit: false,
        rateLimit: false,
      },
      { defaults: on },
    ],
  ])('%s', async (_name, decorator, options) => {
    expect(await summaryOf(decorator, options)).toBe('method');
  });

  it('in the defaults, and on again in the decorator', async () => {
    expect(await summaryOf(on, { defaults: off })).toBe(await summaryOf(on, {}));
    expect(await summaryOf(on, {})).toBe(
      "deadline 9 s > up to 3 attempts > circuit breaker 'a' > concurrency limit 'x' > rate limits (waits up to 60 s) > validation > timeout 1 s > method; else fallback stand",
    );
  });
});

describe('a group is one thing', () => {
  const policy = new RetryPolicy({ maxAttempts: 7, backoff: waits });

  it.each<[string, MethodOptions, ResilienceModuleOptions, string]>([
    [
      'so a policy object of a named policy replaces all of it in the defaults',
      { use: 'p' },
      { defaults: { retries: 1, retryOn: failure }, policies: { p: { retry: policy } } },
      'up to 7 attempts > method',
    ],
    [
      'so retries in operations replace the policy object of the decorator',
      { retry: policy },
      { operations: { 'Client.call': { retries: 1, backoff: { jitter: false } } } },
      'up to 2 attempts (0.1 s × 2, at most 10 s, no jitter) > method',
    ],
    [
      'and its parts may come from four layers',
      { retryOn: failure, use: 'p' },
      {
        defaults: { retries: 1 },
        policies: { p: { backoff: waits } },
        operations: { 'Client.call': { retries: 8 } },
      },
      'up to 9 attempts > method',
    ],
    [
      'so a fallback in operations replaces a chain',
      { fallbacks: chain },
      { operations: { 'Client.call': { fallback: 'stand' } } },
      'method; else fallback stand',
    ],
  ])('%s', async (_name, decorator, options, expected) => {
    expect(await summaryOf(decorator, options)).toBe(expected);
  });
});
