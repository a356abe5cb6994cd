import { describe, expect, it } from '@jest/globals';
import { currentAttempt, reportOf } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, gives, hangs, recoveredBreaker, rejection, scene, Upstream } from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { RemoteStore } from './remote-store.js';
import { keyed, roleOf } from './support.js';

const away = new Error('the caller went away');

describe('a caller that leaves', () => {
  it('gives the probe of a breaker back where it is the last one', async () => {
    const clock = new FakeClock();
    const breaker = await recoveredBreaker(clock);
    const { run } = keyed(hangs, {}, { circuitBreaker: breaker }, clock);
    const callers = [new AbortController(), new AbortController()];
    const ends = callers.map(({ signal }) => rejection(run('a', signal)));
    await clock.advance(0);
    callers[0]?.abort(away);
    await ends[0];
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', halfOpenProbeInFlight: true });
    callers[1]?.abort(away);
    await ends[1];
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', halfOpenProbeInFlight: false });
  });
});

describe('a caller that leaves while the value is being kept', () => {
  it('was cancelled, by its report too, and the value is kept for others', async () => {
    const keeping = deferred();
    const store: RemoteStore = new RemoteStore(() => store.owned({ complete: () => keeping.promise }));
    const { run, reports, clock } = keyed(gives('value'), { store });
    const controller = new AbortController();
    const call = rejection(run('a', controller.signal));
    await clock.advance('1s');
    controller.abort(away);
    expect(await call).toBe(away);
    expect(reports.map((report) => [report.status, roleOf(report), report.durationSeconds])).toEqual([
      ['cancelled', 'executed', 1],
    ]);
    const next = run('a');
    keeping.resolve();
    expect([(await next).value, store.keys.length, store.releases]).toEqual(['value', 1, 0]);
  });
});

describe('a call inside the work for a key', () => {
  it('that is ended by the error of that work, after it, leaves the error to the call whose work it was', async () => {
    const down = new Error('down');
    const controller = new AbortController();
    const inner = scene(hangs, { name: 'inner', signal: controller.signal });
    const ends: Promise<unknown>[] = [];
    const { failure } = keyed(
      async () => {
        ends.push(rejection(inner.run()));
        throw down;
      },
      {},
      { name: 'outer' },
    );
    expect((await failure('a')).cause).toBe(down);
    controller.abort(down);
    expect(await Promise.all(ends)).toEqual([down]);
    expect(inner.reports).toMatchObject([{ operationName: 'inner', status: 'cancelled' }]);
    expect(reportOf(down)).toMatchObject({ operationName: 'outer', status: 'failed' });
  });
});

describe('a call of another operation’s attempt', () => {
  it('leaves when that attempt meets its timeout, and the work goes on for others', async () => {
    const clock = new FakeClock();
    const upstream = new Upstream(after(clock, 5, gives('value')));
    const { run } = keyed(upstream.call, {}, {}, clock);
    const outer = scene(() => run('a'), { timeout: '1s' }, clock);
    const [cut, other] = [rejection(outer.run()), run('a')];
    expect((await clock.settle(cut)).report.status).toBe('timed_out');
    expect(clock.monotonicMs()).toBe(1_000);
    expect((await clock.settle(other)).value).toBe('value');
    expect([upstream.calls.length, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('ends the work with that attempt where nobody else waits', async () => {
    const clock = new FakeClock();
    const signals: AbortSignal[] = [];
    const { run } = keyed(
      () => {
        signals.push(currentAttempt().signal);
        return hangs();
      },
      {},
      {},
      clock,
    );
    const outer = scene(() => run('a'), { timeout: '1s' }, clock);
    const { cause } = await clock.settle(rejection(outer.run()));
    expect(signals.map(({ aborted, reason }) => [aborted, reason])).toEqual([[true, cause]]);
    expect(clock.pendingTimers).toBe(0);
  });
});
