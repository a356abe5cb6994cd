import { describe, expect, it } from '@jest/globals';
import type { CircuitBreakerOpenError } from '../../lib/index.js';
import { rejection } from '../operation/support.js';
import { delay, describeWithRedis, PACKAGES, until, type PackageName } from '../redis/support.js';
import { call, fail, INTERVAL_MS, statesOf } from './support.js';
import { useFleets } from './use-fleets.js';

const names = Object.keys(PACKAGES) as PackageName[];
/** Long enough for all to have told and heard everything. */
const settled = (): Promise<void> => delay(5 * INTERVAL_MS);

describeWithRedis('circuit breakers that processes share', () => {
  const { fleetOf, join } = useFleets();

  describe.each(names)('with %s', (kind) => {
    it('open for all when a quorum of processes has opened them', async () => {
      const [a, b, c] = await fleetOf(3, {}, kind);
      await fail(a.breaker, 2);
      await fail(b.breaker, 2);
      await until(() => [a, b, c].every(({ breaker }) => breaker.snapshot().openedBy === 'fleet'));
      expect(c.breaker.snapshot()).toMatchObject({
        state: 'open',
        shared: true,
        forced: null,
        failureCount: 0,
      });
      expect([a.changes, b.changes, c.changes]).toEqual([
        ['closed to open by call'],
        ['closed to open by call'],
        ['closed to open by fleet'],
      ]);
      const refusal: CircuitBreakerOpenError = await rejection(c.breaker.run(() => 'never'));
      expect(refusal).toMatchObject({ code: 'RELPRIM_CIRCUIT_BREAKER_OPEN', state: 'open', reason: 'fleet' });
      expect(refusal.retryAfterSeconds).toBeGreaterThan(55);
      expect(refusal.retryAfterSeconds).toBeLessThanOrEqual(60);
    });

    it('open for one alone when no other has opened them', async () => {
      const [a, ...others] = await fleetOf(3, {}, kind);
      await fail(a.breaker, 2);
      await settled();
      expect(statesOf([a, ...others])).toEqual(['open', 'closed', 'closed']);
      expect(a.breaker.snapshot()).toMatchObject({ openedBy: 'consecutive_failures', shared: true });
      expect(others.map(({ changes }) => changes)).toEqual([[], []]);
    });
  });

  it('open for all at the first one where one is a quorum', async () => {
    const [a, b] = await fleetOf(2, { share: { quorum: 1 } });
    await fail(a.breaker, 2);
    await until(() => b.breaker.state === 'open');
    expect(b.breaker.snapshot().openedBy).toBe('fleet');
  });

  it.each([
    ['alone', undefined],
    ['beside failures in a row', 50],
  ])('open for all when the calls of all together fail too often: the rate %s', async (_title, threshold) => {
    const rate = { failureThreshold: threshold, failureRate: 0.4, window: 20, minimumCalls: 12 };
    const fleet = await fleetOf(3, rate);
    for (const { breaker } of fleet) {
      await fail(breaker, 2);
      await call(breaker, 3);
    }
    expect(statesOf(fleet)).toEqual(['closed', 'closed', 'closed']);
    await until(() => fleet.every(({ breaker }) => breaker.state === 'open'));
    expect(fleet.map(({ changes }) => changes)).toEqual([
      ['closed to open by fleet'],
      ['closed to open by fleet'],
      ['closed to open by fleet'],
    ]);
  });

  it('stay closed while the calls of all together are too few, or fail too seldom', async () => {
    const rate = { failureThreshold: undefined, failureRate: 0.5, window: 20, minimumCalls: 12 };
    const few = await fleetOf(2, rate);
    for (const { breaker } of few) await fail(breaker, 5);
    const seldom = await fleetOf(2, rate);
    for (const { breaker } of seldom) {
      await fail(breaker, 4);
      await call(breaker, 6);
    }
    await settled();
    expect(statesOf([...few, ...seldom])).toEqual(['closed', 'closed', 'closed', 'closed']);
  });

  it.each([
    ['below its own minimum', 3],
    ['and open by itself', 4],
  ])(
    'stay closed for the others when half of all calls fail, all in one process: %s',
    async (_title, calls) => {
      const rate = { failureThreshold: undefined, failureRate: 0.5, window: 20, minimumCalls: 4 };
      const [sick, well] = await fleetOf(2, rate);
      await fail(sick.breaker, calls);
      await call(well.breaker, calls);
      await settled();
      expect([well.breaker.state, well.changes]).toEqual(['closed', []]);
      expect(sick.breaker.state).toBe(calls === 4 ? 'open' : 'closed');
    },
  );

  it('do as an operator says, whatever the others have come to', async () => {
    const [a, b, closed, open] = await fleetOf(4);
    closed.breaker.forceClosed('we need it');
    open.breaker.forceOpen('maintenance');
    await fail(a.breaker, 2);
    await fail(b.breaker, 2);
    await until(() => a.breaker.snapshot().openedBy === 'fleet');
    await settled();
    expect([closed, open].map(({ breaker }) => breaker.snapshot().forced)).toEqual(['closed', 'open']);
    expect([closed.changes, open.changes]).toEqual([
      ['closed to closed by operator'],
      ['closed to open by operator'],
    ]);
    expect([await call(closed.breaker, 3), await call(open.breaker, 3)]).toEqual([3, 0]);
    // Let go of, they go with the others again.
    closed.breaker.reset();
    open.breaker.reset();
    await until(() => closed.breaker.state === 'open' && open.breaker.state === 'open');
    expect(closed.breaker.snapshot().openedBy).toBe('fleet');
  });

  it('do not open for the others where an operator has opened them', async () => {
    const [a, b, c] = await fleetOf(3);
    a.breaker.forceOpen('maintenance');
    await fail(b.breaker, 2);
    await settled();
    expect(c.breaker.state).toBe('closed');
  });

  it('forget a process that has vanished, and what it said', async () => {
    const [a, b, c] = await fleetOf(3);
    await fail(a.breaker, 2);
    await settled();
    a.cut();
    await until(() => b.shared.replicas === 2 && c.shared.replicas === 2);
    await fail(b.breaker, 2);
    await settled();
    expect(statesOf([a, b, c])).toEqual(['open', 'open', 'closed']);
  });

  it('forget at once a process that stops, which then goes by itself', async () => {
    const [a, b, c] = await fleetOf(3);
    await fail(a.breaker, 2);
    await settled();
    await a.shared.stop();
    await a.shared.stop();
    await fail(b.breaker, 2);
    await settled();
    expect(statesOf([a, b, c])).toEqual(['open', 'open', 'closed']);
    expect([a.shared.state, a.shared.replicas]).toEqual(['alone', 1]);
    expect(a.breaker.snapshot()).toMatchObject({ shared: false, openedBy: 'consecutive_failures' });
    expect(b.shared.replicas).toBe(2);
  });

  it('stay open for all when a process stops that had opened them', async () => {
    const [a, b, c] = await fleetOf(3);
    await fail(a.breaker, 2);
    await fail(b.breaker, 2);
    await until(() => c.breaker.state === 'open');
    await a.shared.stop();
    await b.shared.stop();
    await settled();
    expect(statesOf([a, b, c])).toEqual(['open', 'open', 'open']);
    expect([a.changes, c.changes]).toEqual([['closed to open by call'], ['closed to open by fleet']]);
  });

  it('open for a process that comes when they are open for all', async () => {
    const [a, b] = await fleetOf(2);
    await fail(a.breaker, 2);
    await fail(b.breaker, 2);
    await until(() => a.breaker.snapshot().openedBy === 'fleet');
    const late = await join({ name: a.breaker.name });
    await until(() => late.breaker.state === 'open', 3 * INTERVAL_MS);
    expect(late.changes).toEqual(['closed to open by fleet']);
  });
});
