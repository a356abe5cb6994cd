import { describe, expect, it } from '@jest/globals';
import { AsyncLocalStorage } from 'node:async_hooks';
import { CircuitBreaker, FallbackChainError, MisuseError, resilient } from '../../lib/index.js';
import {
  everySeconds,
  gives,
  hangs,
  rejection,
  rejects,
  scene,
  story,
  throws,
  Upstream,
  type Step,
} from './support.js';

const symbol = Symbol('mine');

/** What can be thrown, with what a report says of it. */
const VALUES: [value: unknown, type: string, message: string][] = [
  ['boom', 'string', 'boom'],
  ['', 'string', 'string'],
  [42, 'number', '42'],
  [NaN, 'number', 'NaN'],
  [7n, 'bigint', '7'],
  [true, 'boolean', 'true'],
  [symbol, 'symbol', 'Symbol(mine)'],
  [null, 'object', 'null'],
  [undefined, 'undefined', 'undefined'],
  [{}, 'object', '[object Object]'],
  [Object.create(null), 'object', 'object'],
  [Object.freeze(new RangeError('frozen')), 'RangeError', 'frozen'],
  [new Error(''), 'Error', 'Error'],
];

describe('a value that is thrown and need not be an error', () => {
  // B117, D1
  it.each(VALUES)('%p is a failure like any other, told as %s', async (value, type, message) => {
    for (const step of [rejects(value), throws(value)]) {
      const circuitBreaker = new CircuitBreaker();
      const upstream = new Upstream(step);
      const { failure, sink, reports } = scene(upstream.call, {
        retries: 1,
        backoff: everySeconds(1),
        circuitBreaker,
      });
      const error = await failure();
      expect(error.cause).toBe(value);
      expect(upstream.calls).toHaveLength(2);
      expect(error.report.attempts.map((attempt) => [attempt.status, attempt.error?.toJSON()])).toEqual(
        [1, 2].map(() => ['failed', { type, message, module: null, retryable: true }]),
      );
      expect([error.report.status, error.report.metadata.circuit_breaker_open]).toEqual(['failed', false]);
      expect(circuitBreaker.snapshot().failureCount).toBe(2);
      expect(story(sink)).toBe('OS AS AF retry.scheduled AS AF OF');
      expect(sink.events().at(-1)?.payload).toMatchObject({ error_type: type });
      expect(reports).toEqual([error.report]);
    }
  });

  it.each(VALUES)('%p is repeated also by an operation that may not repeat timeouts', async (value) => {
    const upstream = new Upstream(rejects(value), gives('ok'));
    const { report } = await scene(upstream.call, { retries: 1, idempotent: false }).result();
    expect(report.attemptCount).toBe(2);
  });

  it.each(VALUES)('%p from a candidate is one of the failures of the chain', async (value) => {
    const error = await scene(rejects(value), { fallback: throws(value) }).failure();
    expect(error.cause).toBeInstanceOf(FallbackChainError);
    expect(error.cause).toMatchObject({ failures: [value], primaryFailure: value });
    expect(error.report.status).toBe('failed');
  });

  it.each(VALUES)('%p from a validator fails the attempt', async (value, type) => {
    const error = await scene(gives(1), { validate: throws(value) as never }).failure();
    expect([error.cause, error.report.lastError?.type]).toEqual([value, type]);
  });

  it('is nothing that could be taken for a timeout or a refusal of ours', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 5 });
    const upstream = new Upstream(hangs, rejects(undefined));
    const { failure } = scene(upstream.call, {
      timeout: 1,
      retries: 1,
      backoff: everySeconds(0),
      circuitBreaker,
    });
    const { report } = await failure();
    expect(report.attempts.map((attempt) => attempt.status)).toEqual(['timed_out', 'failed']);
    expect(report.status).toBe('failed');
    expect(report.explain()).not.toContain('refused');
  });
});

describe('what a function gives back', () => {
  const plain = [undefined, 0, '', null, false, [1], NaN, () => 1];

  it.each(plain)('%p is the value, without a promise', async (value) => {
    // B131
    expect((await scene(() => value, { timeout: 1, retries: 1 }).result()).value).toBe(value);
    expect((await scene(rejects(new Error('no')), { fallback: () => value }).result()).value).toBe(value);
  });

  it('can be thrown at once: never at the caller, and repeated as any failure', async () => {
    // B132
    const circuitBreaker = new CircuitBreaker();
    const upstream = new Upstream(throws(new Error('first')), throws(new Error('second')), () => 1);
    const { result } = scene(upstream.call, { retries: 2, circuitBreaker, timeout: 1 });
    expect((await result()).value).toBe(1);
    expect([upstream.calls.length, circuitBreaker.snapshot().failureCount]).toEqual([3, 0]);
  });

  const thenables: Record<string, [Step, unknown]> = {
    'that keeps its word': [() => ({ then: (ok: (value: unknown) => void) => ok('value') }), 'value'],
    'that settles twice': [
      () => ({
        then(ok: (value: unknown) => void, fail: (error: unknown) => void) {
          ok('first');
          fail(new Error('second'));
          ok('third');
        },
      }),
      'first',
    ],
    'that throws after it has settled': [
      () => ({
        then(ok: (value: unknown) => void) {
          ok('first');
          throw new Error('second');
        },
      }),
      'first',
    ],
    'that gives a promise': [
      () => ({ then: (ok: (value: unknown) => void) => ok(Promise.resolve('deep')) }),
      'deep',
    ],
    'that is a function': [
      () => Object.assign(() => 1, { then: (ok: (value: unknown) => void) => ok('value') }),
      'value',
    ],
  };

  it.each(Object.keys(thenables))('may be a foreign thenable %s', async (kind) => {
    const [step, value] = thenables[kind] as [Step, unknown];
    for (const options of [{}, { timeout: 1 }, { signal: new AbortController().signal }]) {
      expect((await scene(step, options).result()).value).toBe(value);
      expect((await scene(step, { ...options, events: undefined }).result()).value).toBe(value);
    }
  });

  it('may be a foreign thenable that fails, in one way or another', async () => {
    const error = new Error('no');
    const failing = [
      () => ({ then: (_: unknown, fail: (reason: unknown) => void) => fail(error) }),
      () => ({ then: throws(error) }),
      () => Object.defineProperty({}, 'then', { get: throws(error) }),
    ];
    for (const step of failing) {
      for (const options of [{}, { timeout: 1 }, { events: undefined }, { timeout: 1, events: undefined }]) {
        expect((await scene(step, options).failure()).cause).toBe(error);
      }
    }
  });

  it('is asked for its outcome once', async () => {
    let asked = 0;
    const lazy = () => ({
      then(ok: (value: unknown) => void) {
        asked += 1;
        ok(asked);
      },
    });
    for (const options of [{}, { timeout: 1 }, { events: undefined }]) await scene(lazy, options).result();
    expect(asked).toBe(3);
  });

  it('may never come, and is then left by the timeout', async () => {
    const { report } = await scene(() => ({ then: () => undefined }), { timeout: 1 }).failure();
    expect(report.status).toBe('timed_out');
  });

  it('may not be an Observable: that is a misuse, neither repeated nor answered by a fallback', async () => {
    const observable = { subscribe: () => undefined, pipe: () => undefined };
    const upstream = new Upstream(() => observable);
    const standIn = new Upstream(gives(1));
    const { failure } = scene(upstream.call, { retries: 2, fallback: standIn.call });
    const error = await failure();
    expect(error).toBeInstanceOf(MisuseError);
    expect(error.message).toContain('op returned an Observable');
    expect([upstream.calls.length, standIn.calls.length]).toEqual([1, 0]);
    expect(await scene(rejects(new Error('no')), { fallback: () => observable }).failure()).toBeInstanceOf(
      MisuseError,
    );
  });

  it('keeps its async context when a thenable answers from another one', async () => {
    const store = new AsyncLocalStorage<number>();
    let answer: ((value: unknown) => void) | undefined;
    const run = resilient({ name: 'op', timeout: '10s', validate: () => store.getStore() === 1 }, () => ({
      then: (ok: (value: unknown) => void) => void (answer = ok),
    }));
    const promise = store.run(1, () => run());
    await Promise.resolve();
    store.run(2, () => answer?.('value'));
    expect((await promise).value).toBe('value');
  });

  it('leaves nothing behind when the caller does not wait for it', async () => {
    const { run, clock, reports } = scene(rejects(new Error('no')), { retries: 1, backoff: everySeconds(1) });
    const promise = rejection(run());
    await clock.advance('5s');
    expect(reports).toHaveLength(1);
    await promise;
  });
});
