import { expect, it } from '@jest/globals';
import {
  currentAttempt,
  IdempotencyConflictError,
  IdempotencyInFlightError,
  OperationTimeoutError,
  type IdempotencyStore,
} from '../../lib/index.js';
import { roleOf, rolesOf, sharedPart } from '../idempotency/support.js';
import { gives, hangs, rejection, rejects, Upstream } from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { Answering, delay, freshKey, place, until } from './support.js';

const down = new Error('down');

/** What a store does that several processes share. Each `open()` is the store of another one. */
export function sharedStoreContract(open: () => IdempotencyStore, leaseMs: number): void {
  /** A method that shows when it runs, whether it was aborted, and ends when told to. */
  function work() {
    const gate = deferred<unknown>();
    const signals: AbortSignal[] = [];
    const upstream = new Upstream(() => {
      signals.push(currentAttempt().signal);
      return gate.promise;
    });
    return { gate, signals, upstream, runs: () => until(() => signals.length > 0) };
  }

  /** Another process, and when one of its callers waits for the first. */
  function another() {
    const store = new Answering(open());
    return { store, waits: () => until(() => store.answers > 0) };
  }

  it('executes once for two processes, and gives the other the value and the account', async () => {
    const { gate, upstream, runs } = work();
    const { store, waits } = another();
    const key = freshKey();
    const first = place(open(), upstream.call).run(key);
    await runs();
    const other = place(store, upstream.call);
    const second = other.run(key);
    await waits();
    gate.resolve({ id: 7 });
    const results = [await first, await second, await other.run(key)];
    expect(results.map(({ value }) => value as unknown)).toEqual(Array(3).fill({ id: 7 }));
    expect(rolesOf(results)).toEqual(['executed', 'joined', 'replayed']);
    const [account, ...others] = results.map(({ report }) => sharedPart(report));
    expect(others).toEqual([account, account]);
    expect(upstream.calls).toHaveLength(1);
  });

  it('executes once for a hundred calls in two processes at the same time', async () => {
    const upstream = new Upstream(() => delay(50, 'value'));
    const [one, other] = [place(open(), upstream.call), place(open(), upstream.call)];
    const key = freshKey();
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? one : other).run(key)),
    );
    expect(results.map((result) => result.value as unknown)).toEqual(Array(100).fill('value'));
    expect(upstream.calls).toHaveLength(1);
  });

  it('refuses another payload in the other process, in flight and when it is done', async () => {
    const { gate, upstream, runs } = work();
    const fingerprint = (_id: string, payload: unknown) => String(payload);
    const [one, other] = [
      place(open(), upstream.call, { fingerprint }),
      place(open(), upstream.call, { fingerprint }),
    ];
    const key = freshKey();
    const first = one.run(key, 'one');
    await runs();
    expect((await rejection(other.run(key, 'another'))).cause).toBeInstanceOf(IdempotencyConflictError);
    gate.resolve('value');
    await first;
    expect((await rejection(other.run(key, 'another'))).cause).toBeInstanceOf(IdempotencyConflictError);
    expect(roleOf((await other.run(key, 'one')).report)).toBe('replayed');
  });

  it('refuses a call in the other process where the policy says so', async () => {
    const { gate, upstream, runs } = work();
    const other = place(open(), upstream.call, { onInFlight: 'reject' });
    const key = freshKey();
    const first = place(open(), upstream.call).run(key);
    await runs();
    expect((await rejection(other.run(key))).cause).toBeInstanceOf(IdempotencyInFlightError);
    gate.resolve('value');
    await first;
    expect(roleOf((await other.run(key)).report)).toBe('replayed');
    expect(upstream.calls).toHaveLength(1);
  });

  it('lets one who waits in the other process execute when the first fails', async () => {
    const { gate, upstream, runs } = work();
    const { store, waits } = another();
    const taking = new Upstream(gives('from the other'));
    const key = freshKey();
    const first = rejection(place(open(), upstream.call).run(key));
    await runs();
    const other = place(store, taking.call);
    const calls = Promise.all([other.run(key), other.run(key)]);
    await waits();
    gate.reject(down);
    expect((await first).cause).toBe(down);
    const results = await calls;
    expect(results.map(({ value }) => value as unknown)).toEqual(['from the other', 'from the other']);
    expect(rolesOf(results)).toEqual(['executed', 'joined']);
    expect([upstream.calls.length, taking.calls.length]).toEqual([1, 1]);
  });

  it('tells each process its own failure', async () => {
    const { gate, upstream, runs } = work();
    const { store, waits } = another();
    const later = new Error('still down');
    const key = freshKey();
    const first = rejection(place(open(), upstream.call).run(key));
    await runs();
    const second = rejection(place(store, rejects(later)).run(key));
    await waits();
    gate.reject(down);
    expect([(await first).cause, (await second).cause]).toEqual([down, later]);
  });

  it('goes on when its last caller leaves while somebody waits in the other process', async () => {
    const { gate, signals, upstream, runs } = work();
    const { store, waits } = another();
    const leaving = new AbortController();
    const key = freshKey();
    const left = rejection(place(open(), upstream.call).run(key, leaving.signal));
    await runs();
    const second = place(store, upstream.call).run(key);
    await waits();
    leaving.abort(down);
    expect(await left).toBe(down);
    await delay(50);
    expect(signals[0]?.aborted).toBe(false);
    gate.resolve('value');
    const { value, report } = await second;
    expect([value, roleOf(report), upstream.calls.length]).toEqual(['value', 'joined', 1]);
  });

  it('aborts the work when its last caller leaves and nobody waits elsewhere, and frees the key', async () => {
    const { signals, upstream, runs } = work();
    const leaving = new AbortController();
    const key = freshKey();
    const left = rejection(place(open(), upstream.call).run(key, leaving.signal));
    await runs();
    leaving.abort(down);
    expect(await left).toBe(down);
    const startMs = performance.now();
    await until(() => signals[0]?.aborted === true);
    const { value, report } = await place(open(), gives('anew')).run(key);
    expect([value, roleOf(report)]).toEqual(['anew', 'executed']);
    // Freed by its owner, not by the end of its lease.
    expect(performance.now() - startMs).toBeLessThan(leaseMs);
  });

  it('keeps a key that is executed for longer than its lease', async () => {
    const { gate, upstream, runs } = work();
    const { store, waits } = another();
    const key = freshKey();
    const first = place(open(), upstream.call).run(key);
    await runs();
    const second = place(store, upstream.call).run(key);
    await waits();
    await delay(leaseMs * 2.5);
    gate.resolve('value');
    expect(rolesOf([await first, await second])).toEqual(['executed', 'joined']);
    expect(upstream.calls).toHaveLength(1);
  });

  it('lets those who wait in the other process leave when they like', async () => {
    const { gate, signals, upstream, runs } = work();
    const { store, waits } = another();
    const key = freshKey();
    const first = place(open(), upstream.call).run(key);
    await runs();
    const leaving = new AbortController();
    const aborted = rejection(place(store, hangs).run(key, leaving.signal));
    const late = rejection(place(open(), hangs, {}, { deadline: '100ms' }).run(key));
    await waits();
    leaving.abort(down);
    expect(await aborted).toBe(down);
    expect((await late).cause).toBeInstanceOf(OperationTimeoutError);
    expect(signals[0]?.aborted).toBe(false);
    gate.resolve('value');
    expect((await first).value).toBe('value');
  });
}
