import { describe, expect, it } from '@jest/globals';
import {
  currentAttempt,
  IdempotencyConflictError,
  IdempotencyInFlightError,
  OperationTimeoutError,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { after, gives, hangs, listenersOf, rejection, Upstream } from '../operation/support.js';
import { done, inFlight, RemoteStore } from './remote-store.js';
import { keyed, keyMetadata, roleOf, rolesOf } from './support.js';

const away = new Error('the caller went away');

describe('a key that somebody outside this process works with', () => {
  it('is waited for: the outcome from there is that of a call which has joined', async () => {
    const changed = deferred();
    const store = new RemoteStore(
      async () => inFlight(() => changed.promise),
      async () => done('from there'),
    );
    const upstream = new Upstream(gives('from here'));
    const { run, clock } = keyed(upstream.call, { store });
    const calls = [run('a'), run('a')];
    await clock.advance('1m');
    expect([calls.map((call) => watch(call).state), store.keys.length]).toEqual([['pending', 'pending'], 1]);
    changed.resolve();
    const results = await Promise.all(calls);
    expect(results.map(({ value }) => value)).toEqual(['from there', 'from there']);
    expect([rolesOf(results), upstream.calls, store.keys.length]).toEqual([['joined', 'joined'], [], 2]);
  });

  it('is taken over where that has failed', async () => {
    const store: RemoteStore = new RemoteStore(
      () => inFlight(async () => undefined),
      async () => inFlight(async () => undefined),
      async () => store.owned(),
    );
    const { run, clock } = keyed(gives('from here'), { store });
    const results = await clock.settle(Promise.all([run('a'), run('a')]));
    expect(results.map(({ value }) => value)).toEqual(['from here', 'from here']);
    expect([rolesOf(results), store.keys.length]).toEqual([['executed', 'joined'], 3]);
  });

  it("is not waited for with onInFlight: 'reject', nor where the payload differs", async () => {
    const store = new RemoteStore(async () => inFlight(hangs as never, 'another digest'));
    const impatient = keyed(gives(1), { store, onInFlight: 'reject' });
    expect((await impatient.failure('a')).cause).toBeInstanceOf(IdempotencyInFlightError);
    const careful = keyed(gives(1), { store, fingerprint: () => 'payload' });
    expect((await careful.failure('a')).cause).toBeInstanceOf(IdempotencyConflictError);
  });

  it('is left at once by a caller who goes away, and the store is told that nobody waits', async () => {
    const signals: AbortSignal[] = [];
    const store = new RemoteStore(() => inFlight((signal) => (signals.push(signal), hangs() as never)));
    const { run, reports, clock } = keyed(gives(1), { store });
    const controller = new AbortController();
    const call = rejection(run('a', controller.signal));
    await clock.advance('5s');
    controller.abort(away);
    expect(await call).toBe(away);
    await clock.advance(0);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(reports).toMatchObject([{ status: 'cancelled', durationSeconds: 5, attempts: [] }]);
    expect(listenersOf(controller.signal)).toBe(0);
  });

  it('is left at the deadline of a call, and the store is told that nobody waits', async () => {
    const signals: AbortSignal[] = [];
    const store = new RemoteStore(() => inFlight((signal) => (signals.push(signal), hangs() as never)));
    const { failure, clock } = keyed(gives(1), { store }, { deadline: '1s' });
    const { cause, report } = await failure('a');
    expect(cause).toBeInstanceOf(OperationTimeoutError);
    expect(report).toMatchObject({ status: 'timed_out', durationSeconds: 1 });
    expect(keyMetadata(report)).toMatchObject({ idempotency_status: 'joined' });
    await clock.advance(0);
    expect([signals.map(({ aborted }) => aborted), clock.pendingTimers]).toEqual([[true], 0]);
  });

  it.each(['caller', 'deadline'])('may be asked for again in vain: the %s ends that, too', async (who) => {
    const clock = new FakeClock();
    const store = new RemoteStore(() => inFlight(after(clock, 1, gives(undefined)) as never), hangs as never);
    const controller = new AbortController();
    const { run } = keyed(gives(1), { store }, { deadline: who === 'deadline' ? '2s' : '1h' }, clock);
    const call = watch(run('a', controller.signal));
    await clock.advance('1.5s');
    expect([store.keys.length, call.state]).toEqual([2, 'pending']);
    if (who === 'caller') controller.abort(away);
    else await clock.advance('0.5s');
    await clock.advance(0);
    expect([call.state, clock.pendingTimers]).toEqual(['rejected', 0]);
  });
});

describe('work that others outside this process wait for', () => {
  function scene() {
    const unawaited = deferred();
    const signals: AbortSignal[] = [];
    const clock = new FakeClock();
    const store: RemoteStore = new RemoteStore(() =>
      store.owned({ untilUnawaited: () => unawaited.promise }),
    );
    const answer = after(clock, 10, gives('value'));
    const { run } = keyed(
      () => {
        signals.push(currentAttempt().signal);
        return answer();
      },
      { store },
      {},
      clock,
    );
    const controller = new AbortController();
    return { unawaited, signals, clock, store, run, controller };
  }

  it('goes on when the last caller here leaves, and is kept', async () => {
    const { signals, clock, store, run, controller } = scene();
    const call = rejection(run('a', controller.signal));
    controller.abort(away);
    expect(await call).toBe(away);
    await clock.advance('10s');
    expect([signals[0]?.aborted, store.kept.map(({ value }) => value), store.releases]).toEqual([
      false,
      ['value'],
      0,
    ]);
  });

  it('ends when they have left, too', async () => {
    const { unawaited, signals, clock, store, run, controller } = scene();
    const call = rejection(run('a', controller.signal));
    controller.abort(away);
    await call;
    await clock.advance('1s');
    expect(signals[0]?.aborted).toBe(false);
    unawaited.resolve();
    await clock.advance(0);
    expect([signals[0]?.reason, store.kept, store.releases]).toEqual([away, [], 1]);
  });

  it('is joined while its value is being kept, though they have left, too', async () => {
    const [unawaited, keeping] = [deferred(), deferred()];
    const store: RemoteStore = new RemoteStore(() =>
      store.owned({ untilUnawaited: () => unawaited.promise, complete: () => keeping.promise }),
    );
    const clock = new FakeClock();
    const upstream = new Upstream(after(clock, 1, gives('value')));
    const { run } = keyed(upstream.call, { store }, {}, clock);
    const controller = new AbortController();
    const call = rejection(run('a', controller.signal));
    controller.abort(away);
    await call;
    await clock.advance('1s');
    unawaited.resolve();
    await clock.advance(0);
    const next = run('a');
    keeping.resolve();
    expect((await next).value).toBe('value');
    expect([roleOf((await next).report), store.keys.length, upstream.calls.length]).toEqual(['joined', 1, 1]);
  });

  it('goes on for a caller here who comes in between', async () => {
    const { unawaited, signals, clock, run, controller } = scene();
    const call = rejection(run('a', controller.signal));
    controller.abort(away);
    await call;
    const next = run('a');
    unawaited.resolve();
    expect((await clock.settle(next)).value).toBe('value');
    expect([signals.length, roleOf((await next).report)]).toEqual([1, 'joined']);
  });
});
