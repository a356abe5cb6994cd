import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import {
  asyncOperation,
  CircuitBreaker,
  EventEmitter,
  fallbackChain,
  resilient,
  RetryPolicy,
  TimeoutPolicy,
  validationPolicy,
  validator,
  type AnyEvent,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred } from '../support/deferred.js';
import { heldOf } from './memory.js';
import { everySeconds, gives, hangs, rejection, rejects, scene } from './support.js';

interface Store {
  readonly request: number;
}

const requests = new AsyncLocalStorage<Store>();

describe('the async context of a call', () => {
  it('is its own in every attempt, wait, check, fallback, sink and listener of a hundred calls that interleave', async () => {
    const clock = new FakeClock();
    const seen: Record<string, [expected: number, found: number | undefined][]> = {};
    /** Notes which request the code at some place belongs to, and which one it finds. */
    const note = (place: string, request: number): void => {
      (seen[place] ??= []).push([request, requests.getStore()?.request]);
    };
    /** Each call by the store of its first event. */
    const requestOf: Record<string, number> = {};
    const sleep = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(resolve, ms));
    const sink = {
      async emit({ callId }: AnyEvent) {
        const request = (requestOf[callId] ??= requests.getStore()?.request ?? -1);
        note('sink', request);
        await Promise.resolve();
        note('sink, later', request);
      },
    };
    const run = resilient(
      {
        name: 'op',
        clock,
        timeout: '1s',
        deadline: '1m',
        retries: 2,
        backoff: { delayForRetry: (retry) => retry / 10 },
        retryOn: () => true,
        validate: async ({ request }: { request: number }) => {
          note('validator', request);
          await Promise.resolve();
          note('validator, later', request);
          return true;
        },
        events: new EventEmitter({ sinks: [sink] }),
        fallback: async (request: number) => {
          note('fallback', request);
          await sleep(request % 5);
          note('fallback, later', request);
          return { request };
        },
        onReport: ({ callId, status }) => note(`onReport ${status}`, requestOf[callId] ?? -1),
      },
      async (request: number) => {
        note('attempt', request);
        await sleep(request % 7);
        note('attempt, later', request);
        if (request % 3 === 0) throw new Error('no');
        if (request % 3 === 1) await sleep(2_000);
        return { request };
      },
    );
    const calls = Array.from({ length: 100 }, async (_, request) => {
      const { value } = await requests.run({ request }, () => run(request));
      note('result', -1);
      return value.request;
    });
    expect(await clock.settle(Promise.all(calls))).toEqual(
      Array.from({ length: 100 }, (_, request) => request),
    );
    delete seen.result;
    const wrong = Object.entries(seen).flatMap(([place, notes]) =>
      notes.filter(([want, found]) => want !== found).map(() => place),
    );
    expect(wrong).toEqual([]);
    expect(
      Object.fromEntries(Object.entries(seen).map(([place, notes]) => [place, notes.length])),
    ).toMatchObject({
      attempt: 34 * 3 + 33 * 3 + 33,
      fallback: 67,
      validator: 100,
      'onReport succeeded': 100,
    });
  });

  it('is the same before and after the call for its caller', async () => {
    const clock = new FakeClock();
    const { run } = scene(hangs, { timeout: 1, retries: 1 }, clock);
    const found = requests.run({ request: 7 }, async () => {
      await rejection(run());
      return requests.getStore()?.request;
    });
    expect(await clock.settle(found)).toBe(7);
  });
});

describe('the async context of a call that has ended', () => {
  const failing = rejects(new Error('no'));
  const controller = new AbortController();
  const breaker = new CircuitBreaker();
  const check = validationPolicy(validator('v', async () => true, { message: 'no' }));

  /** Calls of all kinds that end soon, on the machine's own clock. */
  const calls: Record<string, () => Promise<unknown>> = {
    'that succeeded under a long timeout and a long deadline': () =>
      asyncOperation('a', gives(1)).withTimeout(new TimeoutPolicy('10m')).withDeadline('1h').run(),
    'that failed, waited and fell back': () =>
      asyncOperation('b', failing)
        .withRetry(new RetryPolicy({ backoff: everySeconds(0.001) }))
        .withFallbacks(fallbackChain(['f', gives(1)]))
        .withCircuitBreaker(breaker)
        .run(),
    'that timed out while its method hangs': () =>
      rejection(asyncOperation('c', hangs).withTimeout(new TimeoutPolicy('2ms')).run()),
    'that was checked and had a signal which lives on': () =>
      asyncOperation('d', gives(1)).withValidation(check).withSignal(controller.signal).run(),
    'that was told to a sink': () => asyncOperation('e', gives(1)).withEvents(new EventEmitter()).run(),
  };

  it.each(Object.keys(calls))('%s is held by nobody', async (kind) => {
    const ref = await (async () => {
      const store = { request: 1 };
      await requests.run(store, calls[kind] as () => Promise<unknown>);
      return new WeakRef(store);
    })();
    expect(await heldOf([ref])).toBe(0);
  });

  it('is held by nobody though a timer that it armed is still set for others', async () => {
    const operation = asyncOperation('g', (wait: Promise<unknown>) => wait).withTimeout(
      new TimeoutPolicy('9m'),
    );
    const gate = deferred();
    const first = await (async () => {
      const store = { request: 1 };
      const done = requests.run(store, () => operation.run(Promise.resolve()));
      const other = requests.run({ request: 2 }, () => operation.run(gate.promise));
      await done;
      return { ref: new WeakRef(store), other };
    })();
    expect(await heldOf([first.ref])).toBe(0);
    gate.resolve();
    await first.other;
  });
});
