import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, type CircuitBreakerOptions } from '../../lib/index.js';
import { FakeClock, seededRandom } from '../../lib/testing/index.js';
import { shareCircuitBreakers, type SharedCircuitBreakers } from '../../lib/adapters/redis.js';
import { AT_ONCE, FakeRedis } from './fake-redis.js';
import { call, fail } from './support.js';

const INTERVAL_MS = 100;

interface Process {
  readonly breaker: CircuitBreaker;
  readonly shared: SharedCircuitBreakers;
}

/** Two processes whose breakers open for all at the first failure of one. */
async function fleetOf(options: CircuitBreakerOptions) {
  const clock = new FakeClock();
  const redis = new FakeRedis(clock);
  const client = redis.client(() => AT_ONCE);
  const processes = [1, 2].map((): Process => {
    const breaker = new CircuitBreaker({ name: 'payments', failureThreshold: 1, clock, ...options });
    const sharing = { client, breakers: [breaker], quorum: 1, interval: `${INTERVAL_MS}ms`, clock } as const;
    return { breaker, shared: shareCircuitBreakers(sharing) };
  });
  await clock.advance(`${2 * INTERVAL_MS}ms`);
  const fleet = () => redis.fleet('relprim:circuit-breaker:payments');
  return { clock, redis, fleet, processes: processes as [Process, Process] };
}

type Scene = Awaited<ReturnType<typeof fleetOf>>;

/** How long the fleet is to be open, in milliseconds, from the moment on when that was decided. */
async function openedFor({ clock, fleet }: Scene, act: () => Promise<unknown>): Promise<number> {
  const { epoch } = fleet();
  await act();
  for (let waits = 0; fleet().epoch === epoch; waits += 1) {
    expect(waits).toBeLessThan(INTERVAL_MS);
    await clock.advance('1ms');
  }
  const until = fleet().openUntilMs ?? NaN;
  const forMs = until - clock.monotonicMs();
  await clock.advance(`${INTERVAL_MS}ms`);
  return forMs;
}

/** Probes come from one process and the other, in turn, until one has been let through. */
async function probe({ clock }: Scene, { breaker }: Process, isGood: boolean): Promise<void> {
  await clock.advance('5s');
  for (let tries = 0; (await call(breaker, 1, !isGood)) === 0; tries += 1) {
    expect(tries).toBeLessThan(20);
    await clock.advance(`${INTERVAL_MS / 2}ms`);
  }
}

describe('the recovery time of a fleet', () => {
  it('grows with each bad probe, whoever makes it, and begins anew when it has closed', async () => {
    const scene = await fleetOf({ recoveryTimeout: { initial: 1, factor: 2, max: 5 } });
    const [a, b] = scene.processes;
    expect(await openedFor(scene, () => fail(a.breaker, 1))).toBe(1_000);
    expect(await openedFor(scene, () => probe(scene, b, false))).toBe(2_000);
    expect(a.breaker.toJSON()).toMatchObject({ state: 'open', opened_by: 'fleet', failed_probes: 1 });
    expect(await openedFor(scene, () => probe(scene, a, false))).toBe(4_000);
    expect(await openedFor(scene, () => probe(scene, a, false))).toBe(5_000);
    expect(await openedFor(scene, () => probe(scene, b, false))).toBe(5_000);
    await probe(scene, b, true);
    await scene.clock.advance('1s');
    expect(scene.processes.map(({ breaker }) => breaker.state)).toEqual(['closed', 'closed']);
    expect(await openedFor(scene, () => fail(b.breaker, 1))).toBe(1_000);
  });

  it('grows on where a process goes by itself', async () => {
    const scene = await fleetOf({ recoveryTimeout: { initial: 1, factor: 2, max: 10 } });
    const [a, b] = scene.processes;
    await openedFor(scene, () => fail(a.breaker, 1));
    await openedFor(scene, () => probe(scene, b, false));
    await scene.clock.settle(a.shared.stop());
    await scene.clock.advance('2s');
    await fail(a.breaker, 1);
    expect(a.breaker.snapshot()).toMatchObject({ openedBy: 'probe_failed', recoveryTimeoutSeconds: 4 });
  });

  it('is as far from its plan as the jitter allows, by the random source of the breaker', async () => {
    const recoveryTimeout = { initial: 1, factor: 1, max: 10, jitter: 0.5 };
    const times = new Set<number>();
    for (const seed of [1, 2, 3, 4, 5]) {
      const scene = await fleetOf({ recoveryTimeout, random: seededRandom(seed) });
      const [a] = scene.processes;
      const forMs = await openedFor(scene, () => fail(a.breaker, 1));
      expect(forMs).toBeGreaterThanOrEqual(500);
      expect(forMs).toBeLessThanOrEqual(1_500);
      times.add(forMs);
    }
    expect(times.size).toBe(5);
  });
});

describe('a budget of one process of a fleet', () => {
  const budget = { limit: 10, per: '60s' } as const;

  it('that is spent keeps its breaker open when the others close, until it is free, and without a probe', async () => {
    const scene = await fleetOf({ failureThreshold: 2, recoveryTimeout: 1, budget });
    const [a, b] = scene.processes;
    const changes: string[] = [];
    a.breaker.onTransition(({ from, to, by, openedBy }) =>
      changes.push(`${from} > ${to} by ${by}: ${openedBy}`),
    );
    await fail(a.breaker, 1);
    a.breaker.spend(10);
    await openedFor(scene, () => fail(b.breaker, 2));
    expect(a.breaker.snapshot()).toMatchObject({ state: 'open', openedBy: 'fleet', shared: true });
    await probe(scene, b, true);
    await scene.clock.advance('1s');
    expect(b.breaker.state).toBe('closed');
    const { state, openedBy, retryAfterSeconds } = a.breaker.snapshot();
    expect([state, openedBy]).toEqual(['open', 'budget']);
    expect(await call(a.breaker, 1)).toBe(0);
    await scene.clock.advance(`${Math.floor((retryAfterSeconds ?? 0) * 1_000) - 1}ms`);
    expect(await call(a.breaker, 1)).toBe(0);
    await scene.clock.advance('2ms');
    expect(a.breaker.snapshot().failureCount).toBe(0);
    // Two at a time: none of them is a probe.
    expect(await Promise.all([call(a.breaker, 1), call(a.breaker, 1)])).toEqual([1, 1]);
    expect(changes).toEqual(['closed > open by call: budget', 'open > closed by call: null']);
    expect(a.breaker.snapshot().openedAt).toBeNull();
  });

  it('that is free again by then does not keep it open', async () => {
    const scene = await fleetOf({ recoveryTimeout: 1, budget: { limit: 10, per: '2s' } });
    const [a, b] = scene.processes;
    a.breaker.spend(10);
    await openedFor(scene, () => fail(b.breaker, 1));
    await probe(scene, b, true);
    await scene.clock.advance('1s');
    expect([a, b].map(({ breaker }) => breaker.state)).toEqual(['closed', 'closed']);
  });
});
