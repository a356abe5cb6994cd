import { describe, expect, it } from '@jest/globals';
import { currentAttempt, InMemoryIdempotencyStore, reportOf } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { after, gives, hangs, listenersOf, rejection, Upstream } from '../operation/support.js';
import { keyed, keyMetadata, roleOf, rolesOf } from './support.js';

const away = new Error('the caller went away');

/** An operation whose upstream takes 0.2 s, several callers of one key of it, and what can be seen of all. */
function crowd(callers: number) {
  const clock = new FakeClock();
  const store = new InMemoryIdempotencyStore();
  const signals: AbortSignal[] = [];
  const upstream = new Upstream(after(clock, 0.2, gives('value')), gives('anew'));
  const made = keyed(
    (...args) => {
      signals.push(currentAttempt().signal);
      return upstream.call(...args);
    },
    { store },
    {},
    clock,
  );
  const people = Array.from({ length: callers }, () => {
    const controller = new AbortController();
    const call = made.run('a', controller.signal);
    return { controller, call, seen: watch(call) };
  });
  const leave = async (who: number, reason: unknown = away): Promise<void> => {
    people[who]?.controller.abort(reason);
    await clock.advance(0);
  };
  const listeners = (): number =>
    people.reduce((sum, { controller }) => sum + listenersOf(controller.signal), 0);
  return { ...made, store, upstream, people, leave, listeners, signals };
}

describe('a caller that leaves', () => {
  it('ends alone where it has joined: whoever executes and others who joined go on [R160]', async () => {
    const { people, leave, clock, run, upstream, listeners } = crowd(3);
    await leave(1);
    expect(people.map(({ seen }) => [seen.state, seen.outcome])).toEqual([
      ['pending', undefined],
      ['rejected', away],
      ['pending', undefined],
    ]);
    const results = await clock.settle(Promise.all([people[0]?.call, people[2]?.call, run('a')]));
    expect(results.map((result) => result?.value)).toEqual(['value', 'value', 'value']);
    expect(roleOf((await run('a')).report)).toBe('replayed');
    expect([upstream.calls.length, listeners(), clock.pendingTimers]).toEqual([1, 0, 0]);
  });

  it('ends alone where it executes, as long as others wait: none of them is cancelled [R162]', async () => {
    // B169
    const { people, leave, clock, upstream, signals, reports, listeners } = crowd(4);
    await clock.advance('50ms');
    await leave(0);
    expect(people.map(({ seen }) => seen.state)).toEqual(['rejected', 'pending', 'pending', 'pending']);
    expect(people[0]?.seen.outcome).toBe(away);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    const results = await clock.settle(Promise.all(people.slice(1).map(({ call }) => call)));
    expect(results.map(({ value }) => value)).toEqual(['value', 'value', 'value']);
    expect(rolesOf(results)).toEqual(['joined', 'joined', 'joined']);
    expect([clock.monotonicMs(), upstream.calls.length, listeners(), clock.pendingTimers]).toEqual([
      200, 1, 0, 0,
    ]);
    expect(reports.map(({ status }) => status)).toEqual(['cancelled', 'succeeded', 'succeeded', 'succeeded']);
  });

  it('ends the work where it is the last one, with its own reason', async () => {
    // B169
    const { people, leave, clock, upstream, signals, store, listeners } = crowd(4);
    await clock.advance('50ms');
    for (const who of [0, 2, 1]) {
      await leave(who);
      expect(signals[0]?.aborted).toBe(false);
    }
    const last = new Error('the last one went away');
    await leave(3, last);
    expect(signals.map(({ aborted, reason }) => [aborted, reason])).toEqual([[true, last]]);
    expect(people.map(({ seen }) => seen.outcome)).toEqual([away, away, away, last]);
    await clock.advance('1m');
    expect([upstream.calls.length, store.entryCount(), listeners(), clock.pendingTimers]).toEqual([
      1, 0, 0, 0,
    ]);
  });

  it('frees the key where nobody else waits, and nothing is kept [R161]', async () => {
    const { people, leave, clock, run, upstream, store, reports } = crowd(1);
    await leave(0);
    expect(people[0]?.seen.outcome).toBe(away);
    const { value, report } = await run('a');
    expect([value, roleOf(report), upstream.calls.length]).toEqual(['anew', 'executed', 2]);
    // The answer of the work that all have left comes, and changes nothing.
    await clock.advance('1m');
    expect([(await run('a')).value, store.entryCount(), clock.pendingTimers]).toEqual(['anew', 1, 0]);
    expect(reports.map(({ status }) => status)).toEqual(['cancelled', 'succeeded', 'succeeded']);
  });

  it('makes room at once: what is begun before the old work has ended is what later calls join', async () => {
    const upstream = new Upstream(hangs, hangs);
    const begun: Promise<unknown>[] = [];
    const { run, clock } = keyed((...args) => {
      if (upstream.calls.length === 0)
        currentAttempt().signal.addEventListener('abort', () => void begun.push(run('a')));
      return upstream.call(...args);
    });
    const controller = new AbortController();
    const left = rejection(run('a', controller.signal));
    await clock.advance(0);
    controller.abort(away);
    expect(await left).toBe(away);
    await clock.advance(0);
    const later = watch(run('a'));
    await clock.advance(0);
    expect([begun.length, upstream.calls.length, later.state]).toEqual([1, 2, 'pending']);
  });

  it('is told its own reason in whatever moment before its end it leaves', async () => {
    for (const role of [0, 1])
      for (let gap = 0; gap < 16; gap += 1) {
        const gate = deferred<string>();
        const { run, reports } = keyed(() => gate.promise);
        const controllers = [new AbortController(), new AbortController()];
        const calls = controllers.map(({ signal }) => run('a', signal));
        const seen = calls.map((call) => watch(call))[role];
        gate.resolve('value');
        for (let step = 0; step < gap; step += 1) await Promise.resolve();
        const name = role === 0 ? 'executed' : 'joined';
        const ended = reports.some((report) => roleOf(report) === name);
        controllers[role]?.abort(away);
        await Promise.allSettled(calls);
        expect([role, gap, seen?.state]).toEqual([role, gap, ended ? 'fulfilled' : 'rejected']);
      }
  });

  it('goes too early to end what a call joins in the same moment', async () => {
    const { people, clock, run, upstream, signals } = crowd(2);
    people[0]?.controller.abort(away);
    people[1]?.controller.abort(away);
    const { value, report } = await clock.settle(run('a'));
    expect([value, roleOf(report)]).toEqual(['value', 'joined']);
    expect([upstream.calls.length, signals[0]?.aborted]).toEqual([1, false]);
    expect(people.map(({ seen }) => seen.outcome)).toEqual([away, away]);
  });

  it('has an account of its own, with what the key did and the attempt that it left', async () => {
    const { leave, reports, clock, people } = crowd(2);
    await clock.advance('50ms');
    await leave(1);
    await leave(0);
    expect(reports.map((report) => [report.status, roleOf(report)])).toEqual([
      ['cancelled', 'joined'],
      ['cancelled', 'executed'],
    ]);
    expect(reports.map(({ durationSeconds }) => durationSeconds)).toEqual([0.05, 0.05]);
    const said = { idempotency_enabled: true, idempotency_key: 'sha256:ca978112ca1bbdca' };
    expect(reports.map(keyMetadata)).toEqual([
      { ...said, idempotency_status: 'joined', idempotency_cache_hit: true },
      { ...said, idempotency_status: 'executed', idempotency_cache_hit: false },
    ]);
    await Promise.allSettled(people.map(({ call }) => call));
    expect(reportOf(away)).toBeDefined();
  });

  it('has not even asked for the key where its signal had been aborted before', async () => {
    const { run, upstream, sink } = crowd(0);
    expect(await rejection(run('a', AbortSignal.abort(away)))).toBe(away);
    expect([upstream.calls.length, sink.sequence()]).toEqual([0, []]);
  });

  it('may leave in the very part of the method that runs at once', async () => {
    const controller = new AbortController();
    let calls = 0;
    const { run, reports, clock } = keyed(() => {
      controller.abort(away);
      return (calls += 1) === 1 ? hangs() : 'anew';
    });
    expect(await rejection(run('a', controller.signal))).toBe(away);
    expect(reports.map((report) => [report.status, roleOf(report), report.attemptCount])).toEqual([
      ['cancelled', 'executed', 1],
    ]);
    expect([(await run('a')).value, clock.pendingTimers]).toEqual(['anew', 0]);
  });

  it('tells no sink, and those who stay tell one story', async () => {
    const { leave, clock, people, sink } = crowd(2);
    await leave(0);
    await clock.settle(people[1]?.call as Promise<unknown>);
    expect(sink.sequence()).toEqual([
      'operation.started',
      'attempt.started',
      'attempt.succeeded',
      'operation.succeeded',
    ]);
  });
});
