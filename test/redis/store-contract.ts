import { expect, it } from '@jest/globals';
import {
  currentAttempt,
  IdempotencyConflictError,
  IdempotencyInFlightError,
  type IdempotencyStore,
} from '../../lib/index.js';
import { rolesOf, sharedPart } from '../idempotency/support.js';
import { gives, rejection, rejects, Upstream } from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { delay, freshKey, place, until } from './support.js';

const down = new Error('down');

/** Work with a payload, of which the policy takes the fingerprint. */
const PAYLOAD = { fingerprint: (_id: string, payload: unknown) => String(payload) };

/** What every store does for the callers of one process. */
export function storeContract(open: () => IdempotencyStore): void {
  it('executes once, and gives later calls the value and the account', async () => {
    const upstream = new Upstream(rejects(down), gives({ id: 7 }), gives('another'));
    const { run } = place(open(), upstream.call, {}, { retries: 1, backoff: { delayForRetry: () => 0 } });
    const key = freshKey();
    const results = [await run(key), await run(key), await run(key)];
    expect(results.map(({ value }) => value as unknown)).toEqual([{ id: 7 }, { id: 7 }, { id: 7 }]);
    expect(rolesOf(results)).toEqual(['executed', 'replayed', 'replayed']);
    const [first, ...later] = results.map(({ report }) => sharedPart(report));
    expect(later).toEqual([first, first]);
    expect(first).toMatchObject({ status: 'succeeded', attempts: [{ status: 'failed' }, {}] });
    expect(upstream.calls).toHaveLength(2);
  });

  it('gives all who call meanwhile what comes of the first call', async () => {
    const gate = deferred<string>();
    const upstream = new Upstream(() => gate.promise);
    const { run } = place(open(), upstream.call);
    const key = freshKey();
    const calls = Promise.all(Array.from({ length: 20 }, () => run(key)));
    await delay(30);
    gate.resolve('value');
    const results = await calls;
    expect(new Set(results.map(({ value }) => value as unknown))).toEqual(new Set(['value']));
    expect(rolesOf(results)).toEqual(['executed', ...Array.from({ length: 19 }, () => 'joined')]);
    expect(upstream.calls).toHaveLength(1);
  });

  it('keeps no failure: those who wait are told it, and the next call executes', async () => {
    const upstream = new Upstream(rejects(down), gives('well again'));
    const { run } = place(open(), upstream.call);
    const key = freshKey();
    const failures = await Promise.all([rejection(run(key)), rejection(run(key))]);
    expect(failures.map(({ cause }) => cause as unknown)).toEqual([down, down]);
    const results = [await run(key), await run(key)];
    expect(results.map(({ value }) => value as unknown)).toEqual(['well again', 'well again']);
    expect(rolesOf(results)).toEqual(['executed', 'replayed']);
    expect(upstream.calls).toHaveLength(2);
  });

  it('keeps an outcome from when it came, for as long as it is to live', async () => {
    const upstream = new Upstream(() => delay(320, 'value'), gives('value'));
    const { run } = place(open(), upstream.call, { ttl: '300ms' });
    const key = freshKey();
    const results = [await run(key), await run(key)];
    await delay(320);
    results.push(await run(key));
    expect(rolesOf(results)).toEqual(['executed', 'replayed', 'executed']);
    expect(upstream.calls).toHaveLength(2);
  });

  it('refuses another payload while the key is in flight and when it is done', async () => {
    const gate = deferred<string>();
    const upstream = new Upstream(() => gate.promise);
    const { run } = place(open(), upstream.call, PAYLOAD);
    const key = freshKey();
    const first = run(key, 'one');
    expect((await rejection(run(key, 'another'))).cause).toBeInstanceOf(IdempotencyConflictError);
    gate.resolve('value');
    await first;
    expect((await rejection(run(key, 'another'))).cause).toBeInstanceOf(IdempotencyConflictError);
    expect((await run(key, 'one')).value).toBe('value');
    expect(upstream.calls).toHaveLength(1);
  });

  it('refuses a call while the key is in flight where the policy says so', async () => {
    const gate = deferred<string>();
    const upstream = new Upstream(() => gate.promise);
    const { run } = place(open(), upstream.call, { onInFlight: 'reject' });
    const key = freshKey();
    const first = run(key);
    expect((await rejection(run(key))).cause).toBeInstanceOf(IdempotencyInFlightError);
    gate.resolve('value');
    expect(rolesOf([await first, await run(key)])).toEqual(['executed', 'replayed']);
    expect(upstream.calls).toHaveLength(1);
  });

  it.each([undefined, null, 0, '', false, [], {}, [null], { list: [1, { two: 'ä\u0000😀' }] }])(
    'keeps the value %j',
    async (value) => {
      const upstream = new Upstream(gives(value), gives('another'));
      const { run } = place(open(), upstream.call);
      const key = freshKey();
      const results = [await run(key), await run(key)];
      expect(results.map((result) => result.value as unknown)).toEqual([value, value]);
      expect([rolesOf(results), upstream.calls.length]).toEqual([['executed', 'replayed'], 1]);
    },
  );

  it('keeps the value of a fallback unless the policy says otherwise', async () => {
    const upstream = new Upstream(rejects(down));
    const store = open();
    const fallback = () => 'stand-in';
    const keeps = place(store, upstream.call, {}, { fallback });
    const forgets = place(store, upstream.call, { cacheFallback: false }, { fallback });
    const [one, two] = [freshKey(), freshKey()];
    const kept = [await keeps.run(one), await keeps.run(one)];
    const forgotten = [await forgets.run(two), await forgets.run(two)];
    expect([...kept, ...forgotten].map(({ value }) => value as unknown)).toEqual(Array(4).fill('stand-in'));
    expect([rolesOf(kept), rolesOf(forgotten)]).toEqual([
      ['executed', 'replayed'],
      ['executed', 'executed'],
    ]);
    expect(upstream.calls).toHaveLength(3);
  });

  it('aborts the work when the only caller leaves, and frees the key', async () => {
    const signals: AbortSignal[] = [];
    const upstream = new Upstream(() => new Promise(() => undefined), gives('second'));
    const { run } = place(open(), (...args) => {
      signals.push(currentAttempt().signal);
      return upstream.call(...args) as unknown;
    });
    const key = freshKey();
    const leaving = new AbortController();
    const left = rejection(run(key, leaving.signal));
    await until(() => signals.length > 0);
    leaving.abort(down);
    expect(await left).toBe(down);
    await until(() => signals[0]?.aborted === true);
    expect((await run(key)).value).toBe('second');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('keeps the keys of operations apart, unless they share a scope', async () => {
    const upstream = new Upstream(gives('value'));
    const store = open();
    const one = place(store, upstream.call);
    const other = place(store, upstream.call, {}, { name: 'other' });
    const same = place(store, upstream.call, { scope: 'op' }, { name: 'third' });
    const key = freshKey();
    const results = [await one.run(key), await other.run(key), await same.run(key)];
    expect(rolesOf(results)).toEqual(['executed', 'executed', 'replayed']);
  });
}
