import { expect, it } from '@jest/globals';
import type { CircuitBreakerOptions } from '../../lib/index.js';
import { rejection } from '../operation/support.js';
import { deferred, type Deferred } from '../support/deferred.js';
import { delay, describeWithRedis, until } from '../redis/support.js';
import { call, fail, INTERVAL_MS, RECOVERY_MS, statesOf, Workload, type Replica } from './support.js';
import { useFleets, type Member } from './use-fleets.js';

const recoveryTimeout = `${RECOVERY_MS}ms` as const;

/** Work that the test ends, and where it runs. */
interface Probe extends Deferred<unknown> {
  readonly by: number;
  readonly ended: Promise<unknown>;
}

describeWithRedis('probes of a fleet', () => {
  const { fleetOf } = useFleets();

  /** A fleet of three that is open for all. */
  async function openFleet(options: CircuitBreakerOptions = {}): Promise<Member[]> {
    const fleet = (await fleetOf(3, { recoveryTimeout, ...options })).slice(0, 3);
    for (const { breaker } of fleet.slice(0, 2)) await fail(breaker, 2);
    await until(() => fleet.every(({ breaker }) => breaker.snapshot().openedBy === 'fleet'));
    for (const { changes } of fleet) changes.length = 0;
    return fleet;
  }

  /** All call, again and again, until something is so. The work of each call is the test's to end. */
  async function callUntil(
    fleet: readonly Replica[],
    probes: Probe[],
    isSo: () => boolean,
    signal?: AbortSignal,
  ): Promise<void> {
    await until(() => {
      for (const [by, { breaker }] of fleet.entries()) {
        const outcome = breaker.runWith({ signal }, () => {
          const work = deferred<unknown>();
          probes.push({ ...work, by, ended: work.promise.catch(() => undefined) });
          return work.promise;
        });
        outcome.catch(() => undefined);
      }
      return isSo();
    });
  }

  it.each([1, 2])(
    'are at most %i at a time, however many calls ask, and a good one closes for all',
    async (most) => {
      const fleet = await openFleet({ probes: { concurrent: most, lease: '2s' } });
      const load = new Workload();
      let isOver = false;
      const callers = fleet.flatMap(({ breaker }) =>
        Array.from({ length: 20 }, async () => {
          for (; !isOver && breaker.state !== 'closed'; await delay(3))
            await breaker.run(() => load.run(() => delay(150))).catch(() => undefined);
        }),
      );
      await until(() => fleet.every(({ breaker }) => breaker.state === 'closed'));
      isOver = true;
      await Promise.all(callers);
      // Those after the probes were let through by a breaker that is closed.
      const probes = fleet
        .flatMap(({ changes }) => changes)
        .filter((change) => change.endsWith('half_open by call'));
      expect(probes.length).toBeLessThanOrEqual(most);
      expect(probes.length).toBeGreaterThan(0);
      expect(fleet.map(({ breaker }) => breaker.snapshot().shared)).toEqual([true, true, true]);
    },
  );

  it('are one each where all processes may probe, so that none has more than its share', async () => {
    const fleet = await openFleet({ probes: { concurrent: 2, lease: '10s' } });
    const probes: Probe[] = [];
    await callUntil(fleet, probes, () => probes.length === 2);
    const endMs = performance.now() + 4 * INTERVAL_MS;
    await callUntil(fleet, probes, () => performance.now() > endMs);
    expect(probes).toHaveLength(2);
    expect(probes[0]?.by).not.toBe(probes[1]?.by);
    for (const { resolve } of probes) resolve('fine');
    await until(() => statesOf(fleet).every((state) => state === 'closed'));
  });

  it('that are bad open for all again, for another recovery time', async () => {
    const fleet = await openFleet({ probes: { lease: '10s' } });
    const probes: Probe[] = [];
    await callUntil(fleet, probes, () => probes.length === 1);
    const failedMs = performance.now();
    probes[0]?.reject(new Error('down'));
    await callUntil(fleet, probes, () => probes.length === 2);
    expect(performance.now() - failedMs).toBeGreaterThanOrEqual(RECOVERY_MS);
    probes[1]?.resolve('fine');
    await until(() => statesOf(fleet).every((state) => state === 'closed'));
    const changes = fleet.flatMap((replica) => replica.changes).sort();
    expect(changes.filter((change) => change === 'half_open to open by call')).toHaveLength(1);
    expect(changes.filter((change) => change === 'open to half_open by call')).toHaveLength(2);
    expect(changes.filter((change) => change === 'half_open to closed by call')).toHaveLength(1);
    expect(changes.filter((change) => change === 'open to closed by fleet')).toHaveLength(2);
    expect(changes).toHaveLength(6);
  });

  it('that prove nothing give the right to the next call', async () => {
    const fleet = await openFleet({
      probes: { lease: '10s' },
      recordFailureOn: (error: unknown) => !(error instanceof RangeError),
    });
    const probes: Probe[] = [];
    const leaver = new AbortController();
    await callUntil(fleet, probes, () => probes.length === 1, leaver.signal);
    leaver.abort();
    await callUntil(fleet, probes, () => probes.length === 2);
    probes[1]?.reject(new RangeError('not counted'));
    await callUntil(fleet, probes, () => probes.length === 3);
    // What came late of the first one is nobody's.
    probes[0]?.reject(new Error('down'));
    probes[2]?.resolve('fine');
    await until(() => statesOf(fleet).every((state) => state === 'closed'));
  });

  it('that hang lose their right with their lease, and what comes of them later decides nothing', async () => {
    const fleet = await openFleet({ probes: { lease: '300ms' } });
    const probes: Probe[] = [];
    await callUntil(fleet, probes, () => probes.length === 1);
    const begunMs = performance.now();
    await callUntil(fleet, probes, () => probes.length === 2);
    expect(performance.now() - begunMs).toBeGreaterThan(150);
    const [hung, next] = probes;
    hung?.resolve('late');
    await delay(INTERVAL_MS);
    expect(fleet.map(({ changes }) => changes).flat()).not.toContain('half_open to closed by call');
    next?.resolve('fine');
    // On a slow machine that one is late, too, and the next call is the probe.
    await until(async () => {
      for (const { breaker } of fleet) await call(breaker, 1);
      return statesOf(fleet).every((state) => state === 'closed');
    });
  });

  it('that nobody makes leave their turn to a process that has calls', async () => {
    const [a, b] = (await openFleet({ probes: { lease: '1m' } })) as [Member, Member];
    await call(a.breaker, 1);
    await delay(RECOVERY_MS + 2 * INTERVAL_MS);
    await until(async () => (await call(b.breaker, 1)) === 1, 10 * INTERVAL_MS);
    await until(() => a.breaker.state === 'closed');
    expect(a.changes).toEqual(['open to closed by fleet']);
  });

  it('are made, too, by the only process that calls, and seldom', async () => {
    const [a] = (await openFleet({ probes: { lease: '200ms' } })) as [Member];
    let passed = await call(a.breaker, 1);
    for (let calls = 0; passed === 0 && calls < 4; calls += 1) {
      await delay(6 * INTERVAL_MS);
      passed = await call(a.breaker, 1);
    }
    expect([passed, a.breaker.state]).toEqual([1, 'closed']);
  });

  it('of another process are what a refusal names', async () => {
    const fleet = await openFleet({ probes: { lease: '10s' } });
    const probes: Probe[] = [];
    await callUntil(fleet, probes, () => probes.length === 1);
    const other = fleet.find((_replica, index) => index !== probes[0]?.by);
    expect(other?.breaker.snapshot()).toMatchObject({
      state: 'open',
      probeDue: false,
      retryAfterSeconds: null,
    });
    expect(await rejection(other?.breaker.run(() => 'never') as Promise<unknown>)).toMatchObject({
      message: expect.stringContaining('half_open; a probe is in flight'),
      reason: 'probes_busy',
      retryAfterSeconds: null,
    });
    probes[0]?.resolve('fine');
  });

  it('that run when their process stops are free for the others', async () => {
    const fleet = await openFleet({ probes: { lease: '1m' } });
    const probes: Probe[] = [];
    await callUntil(fleet, probes, () => probes.length === 1);
    const owner = fleet[probes[0]?.by ?? 0] as Member;
    await owner.shared.stop();
    const others = fleet.filter((replica) => replica !== owner);
    await callUntil(others, probes, () => probes.length === 2);
    probes[0]?.reject(new Error('down'));
    await delay(2 * INTERVAL_MS);
    expect(owner.breaker.state).toBe('open');
    expect(statesOf(others).sort()).toEqual(['half_open', 'open']);
    probes[1]?.resolve('fine');
    await until(() => statesOf(others).every((state) => state === 'closed'));
    expect(owner.breaker.state).toBe('open');
  });
});
