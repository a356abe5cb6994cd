import { describe, expect, it } from '@jest/globals';
import { currentAttempt, OperationTimeoutError } from '../../lib/index.js';
import {
  abortAndRace,
  after,
  gives,
  hangs,
  listenersOf,
  rejects,
  Upstream,
  type Fn,
} from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { client, type ClientOptions } from './client.js';
import { TooSlow } from './support.js';

const slow = rejects(new TooSlow('slow'));
const broken = rejects(new RangeError('broken'));

interface Place {
  readonly fn: () => Fn;
  readonly options?: ClientOptions;
  /** Calls that are made before. */
  readonly before?: number;
  /** When the caller goes away. */
  readonly afterSeconds?: number;
  /** What the call had cost by then. */
  readonly spent?: number;
}

const CACHE_THAT_HANGS = { get: hangs, set: () => undefined };

const PLACES: Record<string, Place> = {
  'in the first attempt': { fn: () => hangs },
  'in the second attempt': { fn: () => new Upstream(slow, hangs).call, afterSeconds: 1, spent: 1 },
  'in the wait before a retry': { fn: () => slow, afterSeconds: 0.25, spent: 1 },
  'at the gate, before the first attempt': { fn: () => hangs, options: { maxRate: 1 }, before: 1 },
  'at the gate, before a retry': { fn: () => slow, afterSeconds: 0.6, spent: 1 },
  'while the cache is read': { fn: () => broken, options: { cache: CACHE_THAT_HANGS } },
  'while the fallback runs': { fn: () => broken, options: { fallback: hangs } },
  'while the value is checked': { fn: () => gives('up'), options: { beside: { validate: hangs as Fn } } },
};

describe('a caller who goes away', () => {
  it('when a failure is asked for its kind slows nobody down', async () => {
    const abort = new AbortController();
    const timeoutErrors = () => (abort.abort('mine'), true);
    const seen = client(broken, { timeoutErrors, beside: { signal: abort.signal } });
    const before = seen.shield.snapshot();
    expect(await seen.outcome()).toBe('mine');
    expect(seen.shield.snapshot()).toEqual(before);
    expect(seen.reports.map(({ status }) => status)).toEqual(['cancelled']);
  });

  it.each(Object.entries(PLACES))('%s [S110, B019, B021, B022, B026, B029, B034]', async (_, place) => {
    const abort = new AbortController();
    const caller: { signal?: AbortSignal } = {};
    const { options = {}, before = 0, afterSeconds = 0, spent = 0 } = place;
    const upstream = place.fn();
    let calls = 0;
    const fn: Fn = (...args) => {
      calls += 1;
      return calls <= before ? Promise.resolve('up') : upstream(...args);
    };
    const seen = client(fn, { ...options, beside: { signal: () => caller.signal, ...options.beside } });
    for (let call = 0; call < before; call += 1) await seen.outcome();
    const snapshot = seen.shield.snapshot();
    caller.signal = abort.signal;
    const promise = seen.visit();
    promise.catch(() => undefined);
    await seen.clock.advance(afterSeconds);
    const { engaged, rate } = seen.shield.snapshot();
    const made = calls;
    const told = seen.sink.sequence().length;

    const reason = { why: 'the browser was closed' };
    const { order, error } = await abortAndRace(promise, () => abort.abort(reason));
    expect(error).toBe(reason);
    expect(order[0]).toBe('call');
    expect(reason).not.toHaveProperty('notes');
    await seen.clock.advance('10m');
    expect(calls).toBe(made);
    expect(seen.sink.sequence()).toHaveLength(told);
    expect(seen.reports.at(-1)?.status).toBe('cancelled');
    expect(seen.reports.at(-1)?.metadata).not.toHaveProperty('shield_recovered_by');
    expect(seen.shield.snapshot()).toMatchObject({ engaged, rate, waiting: 0, samples: snapshot.samples });
    expect(seen.shield.current.learned.budget.capacity - spent).toBeLessThanOrEqual(
      seen.shield.snapshot().budget,
    );
    expect([seen.clock.pendingTimers, listenersOf(abort.signal)]).toEqual([0, 0]);
  });

  it('beforehand calls nothing', async () => {
    const upstream = new Upstream(gives('up'));
    const reason = new Error('gone');
    const seen = client(upstream.call, { beside: { signal: AbortSignal.abort(reason) } });
    expect(await seen.outcome()).toBe(reason);
    expect(upstream.calls).toEqual([]);
    expect(seen.clock.pendingTimers).toBe(0);
  });

  it('gives the token back that it was let in with and did not use', async () => {
    const abort = new AbortController();
    const upstream = new Upstream(gives('up'));
    let signal: AbortSignal | undefined;
    const seen = client(upstream.call, { maxRate: 1, maxWait: 60, beside: { signal: () => signal } });
    await seen.outcome();
    signal = abort.signal;
    const leaver = seen.visit();
    leaver.catch(() => undefined);
    signal = undefined;
    const stays = seen.visit();
    await seen.clock.advance(0.9);
    abort.abort();
    await seen.clock.settle(stays);
    expect(seen.clock.monotonicMs()).toBe(1_000);
    expect(upstream.calls).toHaveLength(2);
  });
});

describe('the signal of an attempt', () => {
  it('aborts when the timeout of the shield passes, with that timeout', async () => {
    const aborted: unknown[] = [];
    const seen = client(() => {
      const { signal } = currentAttempt();
      signal.addEventListener('abort', () => aborted.push([seen.clock.monotonicMs(), signal.reason]));
      return hangs();
    });
    const error = await seen.outcome();
    expect(aborted.map((entry) => (entry as unknown[])[0]).slice(0, 1)).toEqual([10_000]);
    expect(aborted).toHaveLength(4);
    for (const [, reason] of aborted as [number, unknown][])
      expect(reason).toBeInstanceOf(OperationTimeoutError);
    expect((aborted[3] as unknown[])[1]).toBe(error);
    expect(seen.clock.pendingTimers).toBe(0);
  });

  it('is fresh for each attempt, and does not abort when the attempt succeeds', async () => {
    const signals: AbortSignal[] = [];
    const upstream = new Upstream(slow, gives('up'));
    const seen = client(() => {
      signals.push(currentAttempt().signal);
      return upstream.call();
    });
    expect(await seen.outcome()).toBe('up');
    expect(signals).toHaveLength(2);
    expect(signals[1]).not.toBe(signals[0]);
    expect(signals[1]?.aborted).toBe(false);
  });

  it('aborts for the one call whose time is over, and not for another on the same shield [B024]', async () => {
    const seen = client((seconds: number) => after(seen.clock, seconds, gives(currentAttempt().signal))(), {
      profile: 'internal',
    });
    await seen.outcome(0.1);
    const late = seen.visit(0.6);
    late.catch(() => undefined);
    const signal = await seen.clock.settle(seen.visit(0.2));
    expect((signal as AbortSignal).aborted).toBe(false);
    await seen.clock.advance('1m');
    expect(seen.clock.pendingTimers).toBe(0);
  });
});

describe('a late answer', () => {
  it('of a try that lost to its timeout changes nothing [B031, B032]', async () => {
    const answers = [deferred<string>(), deferred<string>()];
    const kept: unknown[] = [];
    const cache = {
      get: () => undefined,
      set: (key: string, value: unknown) => void kept.push([key, value]),
    };
    let calls = 0;
    const seen = client(() => answers[(calls += 1) - 1]?.promise, { cache });
    const promise = seen.visit();
    await seen.clock.advance(11);
    expect(calls).toBe(2);
    const before = seen.shield.snapshot();
    answers[0]?.resolve('late');
    await seen.clock.advance(0);
    expect(seen.shield.snapshot()).toEqual(before);
    answers[1]?.resolve('in time');
    expect(await seen.clock.settle(promise)).toBe('in time');
    expect(kept).toEqual([[expect.stringMatching(/^github:[0-9a-f]{16}$/), 'in time']]);
    expect(seen.clock.pendingTimers).toBe(0);
  });

  it('of a try whose caller went away feeds no latency and no cache [B191]', async () => {
    const answer = deferred<string>();
    const kept: unknown[] = [];
    const abort = new AbortController();
    const cache = { get: () => undefined, set: (_: string, value: unknown) => void kept.push(value) };
    const seen = client(() => answer.promise, { cache, beside: { signal: abort.signal } });
    const promise = seen.visit();
    promise.catch(() => undefined);
    await seen.clock.advance(1);
    abort.abort();
    answer.resolve('late');
    await seen.clock.advance(1);
    expect(kept).toEqual([]);
    expect(seen.shield.snapshot().samples).toBe(0);
  });
});
