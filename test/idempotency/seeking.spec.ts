import { describe, expect, it } from '@jest/globals';
import { IdempotencyConflictError, type Claim } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, gives, rejection, Upstream } from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { done, RemoteStore } from './remote-store.js';
import { keyed, roleOf, rolesOf } from './support.js';

/** A store whose first answer is given by hand; later it knows the outcome, whatever the payload. */
function slowAtFirst() {
  const first = deferred<Claim>();
  const store = new RemoteStore(
    () => first.promise,
    async ({ fingerprint }) => ({ ...done('known'), fingerprint }),
  );
  return { store, first };
}

describe('a call that comes while the store is still asked for its key', () => {
  it("waits for the answer also with onInFlight: 'reject', as nobody is known to execute", async () => {
    const { store, first } = slowAtFirst();
    const upstream = new Upstream(gives(1));
    const { run, clock } = keyed(upstream.call, { store, onInFlight: 'reject' });
    const calls = [run('a'), run('a')];
    const watched = calls.map(watch);
    await clock.advance('1m');
    expect(watched.map(({ state }) => state)).toEqual(['pending', 'pending']);
    first.resolve(done('known'));
    const results = await clock.settle(Promise.all(calls));
    expect(results.map(({ value }) => value)).toEqual(['known', 'known']);
    expect([rolesOf(results), upstream.calls]).toEqual([['replayed', 'replayed'], []]);
  });

  it('may have the payload that the key belongs to, where the first one has another', async () => {
    const { store, first } = slowAtFirst();
    const fingerprint = (_id: string, payload: string) => payload;
    const { run, clock } = keyed(gives(1), { store, fingerprint });
    const one = rejection(run('a', 'one'));
    const two = run('a', 'two');
    first.resolve({ ...done('known'), fingerprint: 'the digest of two' });
    expect((await one).cause).toBeInstanceOf(IdempotencyConflictError);
    const { value, report } = await clock.settle(two);
    expect([value, roleOf(report)]).toEqual(['known', 'replayed']);
  });
});

describe('the time that a store takes for its answer', () => {
  it('is part of the call, and not of its first attempt, also where no sink is told', async () => {
    const clock = new FakeClock();
    const store: RemoteStore = new RemoteStore(after(clock, 0.75, () => store.owned()) as never);
    const { result } = keyed(after(clock, 0.5, gives(1)), { store }, { events: undefined }, clock);
    const { report } = await result('a');
    expect([report.durationSeconds, report.attempts[0]?.durationSeconds]).toEqual([1.25, 0.5]);
  });
});
