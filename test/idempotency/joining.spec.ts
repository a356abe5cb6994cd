import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { InMemoryIdempotencyStore, OperationTimeoutError } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { after, gives, listenersOf, rejection, Upstream } from '../operation/support.js';
import { keyed, keyMetadata, roleOf, rolesOf } from './support.js';

/** Calls whose upstream answers after so many seconds. */
function slow(seconds: number, ...rest: [policy?: Parameters<typeof keyed>[1], options?: object]) {
  const clock = new FakeClock();
  const upstream = new Upstream(after(clock, seconds, gives('first')), gives('second'));
  const [policy, options] = rest;
  return { ...keyed(upstream.call, policy, options, clock), upstream };
}

describe('a call whose key is in flight', () => {
  it('waits for what runs and is given the same [R154]', async () => {
    const { run, clock, upstream } = slow(1);
    const results = await clock.settle(Promise.all([run('a'), run('a')]));
    expect(results.map(({ value }) => value)).toEqual(['first', 'first']);
    expect(rolesOf(results)).toEqual(['executed', 'joined']);
    expect([upstream.calls.length, clock.pendingTimers, clock.monotonicMs()]).toEqual([1, 0, 1_000]);
  });

  it('waits with a thousand others', async () => {
    const { run, clock, upstream } = slow(1);
    const all = await clock.settle(Promise.all(Array.from({ length: 1_000 }, () => run('a'))));
    expect(new Set(all.map(({ value }) => value))).toEqual(new Set(['first']));
    expect(rolesOf(all).filter((role) => role === 'joined')).toHaveLength(999);
    expect(upstream.calls).toHaveLength(1);
  });

  it('joins from inside the synchronous part of another operation', async () => {
    const { run, clock, upstream } = slow(1);
    const first = run('a');
    const outer = keyed((id: string) => run(id));
    const { value } = await clock.settle(outer.run('a'));
    expect([value.value, roleOf(value.report), upstream.calls.length]).toEqual(['first', 'joined', 1]);
    await first;
  });

  it('joins however long it is in flight: that never expires [R182]', async () => {
    const { run, clock, upstream } = slow(3_600, { ttl: '1s' });
    const first = run('a');
    await clock.advance('59m');
    const [, joined] = await clock.settle(Promise.all([first, run('a')]));
    expect([roleOf(joined.report), upstream.calls.length]).toEqual(['joined', 1]);
  });

  it('joins after a time to live that is shorter than the work, as that counts from the end [R157]', async () => {
    // B164
    const { run, clock, upstream } = slow(30, { ttl: '10s' });
    const first = run('a');
    await clock.advance('15s');
    const second = run('a');
    await clock.settle(Promise.all([first, second]));
    await clock.advance('9.999s');
    const third = await clock.settle(run('a'));
    expect(rolesOf([await first, await second, third])).toEqual(['executed', 'joined', 'replayed']);
    await clock.advance('1ms');
    expect(roleOf((await clock.settle(run('a'))).report)).toBe('executed');
    expect(upstream.calls).toHaveLength(2);
  });

  it('has its own signal, which holds no listener once it has ended', async () => {
    const { run, clock } = slow(1);
    const [one, other] = [new AbortController(), new AbortController()];
    const both = [run('a', one.signal), run('a', other.signal)];
    expect([listenersOf(one.signal), listenersOf(other.signal)]).toEqual([1, 1]);
    await clock.settle(Promise.all(both));
    expect([listenersOf(one.signal), listenersOf(other.signal), clock.pendingTimers]).toEqual([0, 0, 0]);
  });
});

describe('a call that has joined and has a deadline', () => {
  it('waits no longer than that, while the work goes on for others', async () => {
    // B166
    const { store, gate, patient, hasty, clock } = twoOperations();
    const first = patient.run('a');
    const late = rejection(hasty.run('a'));
    await clock.advance('99ms');
    const watched = watch(late);
    await clock.advance(0);
    expect(watched.state).toBe('pending');
    await clock.advance('1ms');
    const { cause } = await late;
    expect(cause).toBeInstanceOf(OperationTimeoutError);
    expect(cause).toMatchObject({ scope: 'deadline', timeoutSeconds: 0.1, outcomeUnknown: true });
    const [report] = hasty.reports;
    expect(report).toMatchObject({ status: 'timed_out', durationSeconds: 0.1, attempts: [] });
    expect(keyMetadata(report as never)).toMatchObject({
      idempotency_status: 'joined',
      idempotency_cache_hit: true,
    });
    gate.resolve('done');
    expect((await first).value).toBe('done');
    expect([store.entryCount(), clock.pendingTimers]).toEqual([1, 0]);
  });

  it('is not kept from the value that comes before', async () => {
    const { gate, patient, hasty, clock } = twoOperations();
    const first = patient.run('a');
    const second = hasty.run('a');
    await clock.advance('99ms');
    gate.resolve('done');
    expect((await second).value).toBe('done');
    await first;
    expect(clock.pendingTimers).toBe(0);
  });
});

/** Two operations that share their keys: one waits for ever, one for 0.1 s. */
function twoOperations() {
  const [clock, store, gate] = [new FakeClock(), new InMemoryIdempotencyStore(), deferred<string>()];
  const made = (options: object) => keyed(() => gate.promise, { store, scope: 'charges' }, options, clock);
  return { clock, store, gate, patient: made({}), hasty: made({ deadline: '0.1s' }) };
}

describe('the async context of a call that has joined', () => {
  it('is its own afterwards, and what runs is in that of the call which executes', async () => {
    const requests = new AsyncLocalStorage<number>();
    const seen: unknown[] = [];
    const gate = deferred();
    const { run } = keyed(
      async () => {
        seen.push(['work', requests.getStore()]);
        await gate.promise;
        seen.push(['work, later', requests.getStore()]);
      },
      {},
      { onReport: (report) => void seen.push([roleOf(report), requests.getStore()]) },
    );
    const calls = [1, 2].map((request) =>
      requests.run(request, async () => {
        await run('a');
        seen.push(['caller', requests.getStore()]);
      }),
    );
    gate.resolve();
    await Promise.all(calls);
    expect(seen).toEqual([
      ['work', 1],
      ['work, later', 1],
      ['executed', 1],
      ['joined', 2],
      ['caller', 1],
      ['caller', 2],
    ]);
  });
});
