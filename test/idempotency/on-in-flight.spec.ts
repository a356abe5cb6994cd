import { describe, expect, it } from '@jest/globals';
import {
  IdempotencyConflictError,
  IdempotencyInFlightError,
  InMemoryIdempotencyStore,
  type Claim,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { after, gives, rejection, rejects, Upstream } from '../operation/support.js';
import { done, RemoteStore } from './remote-store.js';
import { keyed, keyMetadata, roleOf, rolesOf } from './support.js';

/** An operation that refuses to wait, and whose first call takes a second. */
function impatient(policy: Parameters<typeof keyed>[1] = {}, options: object = {}) {
  const clock = new FakeClock();
  const upstream = new Upstream(after(clock, 1, gives('value')), gives('anew'));
  return { ...keyed(upstream.call, { onInFlight: 'reject', ...policy }, options, clock), upstream };
}

describe("onInFlight: 'reject'", () => {
  it('refuses at once a call whose key is in flight, and leaves what runs alone', async () => {
    const { run, clock, upstream } = impatient();
    const first = run('a');
    const { cause } = await rejection(run('a'));
    expect(cause).toBeInstanceOf(IdempotencyInFlightError);
    expect(cause).toMatchObject({
      name: 'IdempotencyInFlightError',
      code: 'RELPRIM_IDEMPOTENCY_IN_FLIGHT',
      operationName: 'op',
      idempotencyKey: 'sha256:ca978112ca1bbdca',
      message: 'op: work with the idempotency key sha256:ca978112ca1bbdca is being done',
    });
    expect(clock.monotonicMs()).toBe(0);
    expect((await clock.settle(first)).value).toBe('value');
    expect([upstream.calls.length, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('gives what came of it to a call that comes later', async () => {
    const { run, result, upstream } = impatient();
    const first = result('a');
    await rejection(run('a'));
    expect(rolesOf([await first, await result('a')])).toEqual(['executed', 'replayed']);
    expect(upstream.calls).toHaveLength(1);
  });

  it('is no hindrance for another key, nor after a failure', async () => {
    const clock = new FakeClock();
    const upstream = new Upstream(after(clock, 1, rejects(new Error('down'))), gives('anew'));
    const { run } = keyed(upstream.call, { onInFlight: 'reject' }, {}, clock);
    const failing = rejection(run('a'));
    expect((await run('b')).value).toBe('anew');
    await clock.settle(failing);
    expect((await run('a')).value).toBe('anew');
  });

  it('is a failure outside any attempt: no retry, no stand-in, no event', async () => {
    const { run, clock, sink, reports } = impatient({}, { retries: 2, fallback: () => 'stand-in' });
    const first = run('a');
    await clock.advance(0);
    sink.clear();
    const { report } = await rejection(run('a'));
    expect(sink.sequence()).toEqual([]);
    expect(report).toMatchObject({ status: 'failed', attempts: [] });
    expect(keyMetadata(report)).toEqual({
      idempotency_enabled: true,
      idempotency_key: 'sha256:ca978112ca1bbdca',
      idempotency_status: null,
      idempotency_cache_hit: false,
    });
    expect(reports).toEqual([report]);
    await clock.settle(first);
    expect(reports).toHaveLength(2);
  });

  it('says that the payload differs where it does, whoever is in flight', async () => {
    const { run, clock } = impatient({ fingerprint: (_id: string, payload: string) => payload });
    const first = run('a', 'one');
    expect((await rejection(run('a', 'two'))).cause).toBeInstanceOf(IdempotencyConflictError);
    expect((await rejection(run('a', 'one'))).cause).toBeInstanceOf(IdempotencyInFlightError);
    await clock.settle(first);
  });

  it('is a matter of each operation that shares the keys', async () => {
    const shared = { store: new InMemoryIdempotencyStore(), scope: 's' };
    const { run, clock } = impatient(shared);
    const patient = keyed(gives('mine'), shared, {}, clock);
    const first = patient.run('other');
    await first;
    const executing = run('a');
    const joined = patient.run('a');
    await rejection(run('a'));
    await clock.settle(Promise.all([executing, joined]));
    expect([(await joined).value, roleOf((await joined).report)]).toEqual(['value', 'joined']);
  });

  it('does not refuse a call as long as another one only asks the store: the work may be done', async () => {
    const answer = deferred<Claim>();
    const store = new RemoteStore(
      () => answer.promise,
      () => done('kept'),
    );
    const { run, clock } = keyed(gives('anew'), { store, onInFlight: 'reject' });
    const calls = [run('a'), run('a')].map((call) => watch(call));
    await clock.advance('1s');
    expect([calls.map(({ state }) => state), store.keys.length]).toEqual([['pending', 'pending'], 1]);
    answer.resolve(done('kept'));
    await clock.advance(0);
    expect(calls).toMatchObject(calls.map(() => ({ state: 'fulfilled', outcome: { value: 'kept' } })));
  });

  it('refuses that call once it is known that the other one executes', async () => {
    const answer = deferred<Claim>();
    const store: RemoteStore = new RemoteStore(() => answer.promise);
    const clock = new FakeClock();
    const upstream = new Upstream(after(clock, 1, gives('value')));
    const { run } = keyed(upstream.call, { store, onInFlight: 'reject' }, {}, clock);
    const [first, second] = [run('a'), watch(run('a'))];
    await clock.advance(0);
    answer.resolve(store.owned());
    await clock.advance(0);
    expect(second).toMatchObject({
      state: 'rejected',
      outcome: { cause: { name: 'IdempotencyInFlightError' } },
    });
    expect((await clock.settle(first)).value).toBe('value');
    expect([upstream.calls.length, store.keys.length]).toEqual([1, 1]);
  });

  it('shows the key itself where the policy says so', async () => {
    const { run, clock } = impatient({ exposeKey: true });
    const first = run('order 7');
    expect((await rejection(run('order 7'))).cause.idempotencyKey).toBe('order 7');
    await clock.settle(first);
  });

  it('says to a store that nobody will wait', async () => {
    const waits: boolean[] = [];
    const store = {
      claim: (_key: string, request: { waits: boolean }) => {
        waits.push(request.waits);
        return { state: 'owned' as const, complete: () => undefined, release: () => undefined };
      },
    };
    await keyed(gives(1), { store, onInFlight: 'reject' }).run('a');
    await keyed(gives(1), { store }).run('a');
    expect(waits).toEqual([false, true]);
  });
});
