import { describe, expect, it } from '@jest/globals';
import {
  currentAttempt,
  IdempotencyResultUnavailableError,
  type Claim,
  type ClaimRequest,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred, type Deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { after, gives, hangs, rejection, Upstream } from '../operation/support.js';
import { done, ELSEWHERE, RemoteStore } from './remote-store.js';
import { keyed, roleOf, rolesOf } from './support.js';

const away = new Error('the caller went away');

/** A store whose answers the test gives one by one. */
function byHand() {
  const answers: Deferred<Claim>[] = [];
  const store = new RemoteStore(() => {
    const answer = deferred<Claim>();
    answers.push(answer);
    return answer.promise;
  });
  return { store, answers };
}

describe('a store of one’s own', () => {
  it('is asked for the key under its operation, and is given the outcome and the time to live [R181]', async () => {
    const requests: ClaimRequest[] = [];
    const ttls: number[] = [];
    const store: RemoteStore = new RemoteStore((request) => {
      requests.push(request);
      return store.owned({
        complete: (outcome, ttl) => void (store.kept.push(outcome), ttls.push(ttl)),
      });
    });
    const { result, clock } = keyed(gives({ n: 1 }), { store, ttl: '5m' });
    const { value, report } = await result('a');
    expect([value, roleOf(report), store.keys]).toEqual([{ n: 1 }, 'executed', ['op\u0000a']]);
    expect(requests).toEqual([{ fingerprint: undefined, clock, waits: true }]);
    expect([store.kept.map((kept) => kept.value), ttls, store.releases]).toEqual([[{ n: 1 }], [300], 0]);
    expect(store.kept[0]?.report.callId).toBe(report.callId);
  });

  it('may know the outcome, with an account from elsewhere [R181]', async () => {
    const store = new RemoteStore(async () => done({ from: 'elsewhere' }));
    const upstream = new Upstream(gives(1));
    const { run, sink, clock } = keyed(upstream.call, { store });
    const results = await clock.settle(Promise.all([run('a'), run('a')]));
    for (const { value, report } of results) {
      expect(value).toEqual({ from: 'elsewhere' });
      expect(report).toMatchObject({ callId: 'elsewhere', durationSeconds: 3 });
      expect(report.startedAt).toEqual(ELSEWHERE.startedAt);
    }
    expect(results[0]?.value).not.toBe(results[1]?.value);
    expect(rolesOf(results)).toEqual(['replayed', 'replayed']);
    expect([upstream.calls, sink.sequence(), store.keys.length]).toEqual([[], [], 1]);
  });

  it('may say that the value cannot be given again: nothing is done twice', async () => {
    const reasons = {
      lost: 'its owner lost the key',
      too_large: 'it is larger than the store allows',
      not_encodable: 'it could not be copied or written down',
    };
    for (const unavailable of ['lost', 'too_large', 'not_encodable'] as const) {
      const store = new RemoteStore(async () => done(undefined, { unavailable }));
      const upstream = new Upstream(gives(1));
      const { cause } = await keyed(upstream.call, { store }).failure('a');
      expect(cause).toBeInstanceOf(IdempotencyResultUnavailableError);
      expect([(cause as IdempotencyResultUnavailableError).reason, upstream.calls]).toEqual([
        unavailable,
        [],
      ]);
      expect((cause as Error).message).toContain(`cannot be given again: ${reasons[unavailable]}`);
    }
  });

  it('makes callers wait until it has kept the value', async () => {
    const clock = new FakeClock();
    const store: RemoteStore = new RemoteStore(() =>
      store.owned({ complete: after(clock, 1, gives(undefined)) as never }),
    );
    const { run } = keyed(gives(1), { store }, {}, clock);
    const calls = [watch(run('a')), watch(run('a'))];
    await clock.advance('999ms');
    expect(calls.map(({ state }) => state)).toEqual(['pending', 'pending']);
    await clock.advance('1ms');
    expect(calls.map(({ state }) => state)).toEqual(['fulfilled', 'fulfilled']);
  });
});

describe('a call that ends while the store is asked', () => {
  it('ends at once with the reason of its caller, and gives back the key that comes too late', async () => {
    const { store, answers } = byHand();
    const upstream = new Upstream(gives(1));
    const { run, sink, reports } = keyed(upstream.call, { store });
    const controller = new AbortController();
    const call = rejection(run('a', controller.signal));
    controller.abort(away);
    expect(await call).toBe(away);
    answers[0]?.resolve(store.owned());
    await new Promise((resolve) => void setImmediate(resolve));
    expect([store.releases, upstream.calls, sink.sequence()]).toEqual([1, [], []]);
    expect(reports).toMatchObject([{ status: 'cancelled' }]);
    expect(roleOf(reports[0] as never)).toBeNull();
  });

  it('ends at its deadline, and gives back the key that comes too late', async () => {
    const { store, answers } = byHand();
    const upstream = new Upstream(gives(1));
    const { failure, clock } = keyed(upstream.call, { store }, { deadline: '1s' });
    const { cause, report } = await failure('a');
    expect(cause).toMatchObject({ scope: 'deadline', timeoutSeconds: 1, outcomeUnknown: false });
    expect(report).toMatchObject({ status: 'timed_out', attempts: [] });
    answers[0]?.resolve(store.owned());
    await clock.advance(0);
    expect([store.releases, upstream.calls, clock.pendingTimers]).toEqual([1, [], 0]);
  });

  it('leaves the rest to one of those who wait, with its own arguments', async () => {
    const { store, answers } = byHand();
    const upstream = new Upstream(gives('value'));
    const { run, clock } = keyed(upstream.call, { store });
    const controller = new AbortController();
    const first = rejection(run('a', controller.signal));
    const others = [run('a', 'second'), run('a', 'third')];
    controller.abort(away);
    expect(await first).toBe(away);
    await clock.advance(0);
    expect(answers).toHaveLength(2);
    answers[0]?.reject(new Error('late'));
    answers[1]?.resolve(store.owned());
    const results = await clock.settle(Promise.all(others));
    expect([rolesOf(results), upstream.calls]).toEqual([['executed', 'joined'], [['a', 'second']]]);
  });

  it('knows at its deadline that nothing was done', async () => {
    const { store } = byHand();
    const { failure } = keyed(gives(1), { store }, { deadline: '1s' });
    expect((await failure('a')).cause).toMatchObject({ scope: 'deadline', outcomeUnknown: false });
  });

  it('has nothing to give back where the answer that comes too late is an outcome', async () => {
    const { store, answers } = byHand();
    const { run, sink, clock } = keyed(gives(1), { store });
    const controller = new AbortController();
    const call = rejection(run('a', controller.signal));
    controller.abort(away);
    expect(await call).toBe(away);
    answers[0]?.resolve(done('late'));
    await clock.advance(0);
    expect([store.releases, sink.sequence()]).toEqual([0, []]);
  });

  it('counts the time of asking as none of the attempt’s', async () => {
    const clock = new FakeClock();
    const store: RemoteStore = new RemoteStore(after(clock, 0.75, () => store.owned()) as never);
    const { run } = keyed(after(clock, 0.25, gives('value')), { store }, {}, clock);
    for (const { report } of await clock.settle(Promise.all([run('a'), run('a')]))) {
      expect([report.durationSeconds, report.attempts[0]?.durationSeconds]).toEqual([1, 0.25]);
      expect(report.attempts[0]?.startedAt.getTime()).toBe(report.startedAt.getTime() + 750);
    }
  });

  it('counts it so, too, where nobody listens', async () => {
    const clock = new FakeClock();
    const store: RemoteStore = new RemoteStore(after(clock, 0.75, () => store.owned()) as never);
    const { result } = keyed(after(clock, 0.25, gives('value')), { store }, { events: undefined }, clock);
    const { report } = await result('a');
    expect([report.durationSeconds, report.attempts[0]?.durationSeconds]).toEqual([1, 0.25]);
  });

  it('counts the time of asking into the deadline of what runs', async () => {
    const clock = new FakeClock();
    const store: RemoteStore = new RemoteStore(after(clock, 0.75, () => store.owned()) as never);
    const remaining: number[] = [];
    const { failure } = keyed(
      () => {
        remaining.push(currentAttempt().remainingSeconds);
        return hangs();
      },
      { store },
      { deadline: '1s' },
      clock,
    );
    const { report } = await failure('a');
    expect([remaining, clock.monotonicMs(), report.durationSeconds]).toEqual([[0.25], 1_000, 1]);
    expect([store.releases, clock.pendingTimers]).toEqual([1, 0]);
  });
});
