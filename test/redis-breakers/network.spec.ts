import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker } from '../../lib/index.js';
import { shareCircuitBreakers } from '../../lib/adapters/redis.js';
import { FakeClock } from '../../lib/testing/index.js';
import { AT_ONCE, FakeRedis, LOST } from './fake-redis.js';
import { changeText, fail } from './support.js';
import { INTERVAL_MS, RECOVERY_MS, World, type Member } from './world.js';

const KEY = 'relprim:circuit-breaker:payments';

async function worldOf(size: number, leaseMs = 1_000): Promise<[World, Member[]]> {
  const skewsMs = Array.from({ length: size }, (_none, at) => at * 3_600_000 - 1_800_000);
  const world = new World({ limit: 1, leaseMs, quorum: 2, failureRate: undefined, skewsMs });
  await world.clock.advance(`${2 * INTERVAL_MS}ms`);
  return [world, world.members];
}

const pass = (world: World, intervals: number): Promise<void> =>
  world.clock.advance(`${intervals * INTERVAL_MS}ms`);

/** Two of them fail; all are open then. */
async function openAll(world: World): Promise<void> {
  for (const member of world.members.slice(0, 2)) for (const _ of [1, 2]) await world.call(member, false);
  await pass(world, 2);
  for (const { breaker } of world.members) expect(breaker.snapshot().openedBy).toBe('fleet');
  for (const { transitions } of world.members) transitions.length = 0;
}

/** One of them finds the upstream well, and all that hear it close. */
async function closeBy(world: World, member: Member): Promise<void> {
  await world.call(member, true);
  await world.clock.advance(`${RECOVERY_MS}ms`);
  expect(await world.call(member, true)).toBe(true);
  await pass(world, 2);
}

const changesOf = ({ transitions }: Member): string[] => transitions.map(changeText);

describe('a process of a fleet', () => {
  it('that was out of reach while the others closed neither opens them again nor stays open', async () => {
    const [world, [a, b, c]] = (await worldOf(3)) as [World, [Member, Member, Member]];
    await openAll(world);
    b.isCut = c.isCut = true;
    await pass(world, 4);
    expect([b.shared.state, b.breaker.state, c.breaker.state]).toEqual(['alone', 'open', 'open']);
    await closeBy(world, a);
    expect([a, b, c].map(({ breaker }) => breaker.state)).toEqual(['closed', 'open', 'open']);
    b.isCut = c.isCut = false;
    await pass(world, 10);
    expect([b, c].map(changesOf)).toEqual([['open to closed by fleet'], ['open to closed by fleet']]);
    expect(changesOf(a).slice(-1)).toEqual(['half_open to closed by call']);
  });

  it('whose good probe the others have not been told of tells them until they have', async () => {
    const [world, [a, b]] = (await worldOf(2)) as [World, [Member, Member]];
    await openAll(world);
    await world.call(a, true);
    await world.clock.advance(`${RECOVERY_MS}ms`);
    const probe = await world.begin(a);
    world.fates = [LOST];
    await world.settle(probe!, true);
    await world.clock.advance(`${INTERVAL_MS}ms`);
    world.fates = [AT_ONCE];
    await pass(world, 2);
    expect(changesOf(a)).toEqual(['open to half_open by call', 'half_open to closed by call']);
    expect(changesOf(b)).toEqual(['open to closed by fleet']);
  });

  it('whose probe is good while it asks does not do as the answer says, which is older', async () => {
    const [world, [a, b]] = (await worldOf(2)) as [World, [Member, Member]];
    await openAll(world);
    await world.call(a, true);
    await world.clock.advance(`${RECOVERY_MS}ms`);
    const probe = await world.begin(a);
    world.fates = [{ thereMs: 0, backMs: 40 }];
    await world.clock.advance(`${INTERVAL_MS / 2}ms`);
    for (let waits = 0; waits < INTERVAL_MS && world.redis.underWay === 0; waits += 1)
      await world.clock.advance('1ms');
    await world.settle(probe!, true);
    await pass(world, 4);
    expect(changesOf(a)).toEqual(['open to half_open by call', 'half_open to closed by call']);
    expect(changesOf(b)).toEqual(['open to closed by fleet']);
  });

  it('that stops while it asks does not do as the answer says', async () => {
    const [world, [a, b, c]] = (await worldOf(3)) as [World, [Member, Member, Member]];
    world.fates = [{ thereMs: 0, backMs: 90 }];
    for (const member of [a, b]) for (const _ of [1, 2]) await world.call(member, false);
    await world.clock.advance('30ms');
    expect(world.redis.fleet(KEY).openUntilMs).toBeDefined();
    void c.shared.stop();
    await pass(world, 5);
    expect([changesOf(c), c.breaker.snapshot().shared, c.shared.state]).toEqual([[], false, 'alone']);
    // The others have forgotten it.
    expect(a.shared.replicas).toBe(2);
    const { runs } = world.redis;
    await world.clock.settle(Promise.all([a.shared.stop(), b.shared.stop()]));
    await pass(world, 5);
    expect([world.redis.runs - runs, world.clock.pendingTimers]).toEqual([2, 0]);
  });

  it('whose probe ends after its lease decides nothing, for itself neither', async () => {
    const [world, [a, b]] = (await worldOf(2, 150)) as [World, [Member, Member]];
    await openAll(world);
    await world.call(a, true);
    await world.clock.advance(`${RECOVERY_MS}ms`);
    const hung = await world.begin(a);
    await world.call(b, true);
    await pass(world, 4);
    const next = await world.begin(b);
    await world.settle(hung!, true);
    expect(a.breaker.state).toBe('half_open');
    await world.settle(next!, true);
    await pass(world, 2);
    expect(changesOf(a)).toEqual(['open to half_open by call', 'half_open to closed by fleet']);
    expect(changesOf(b)).toEqual(['open to half_open by call', 'half_open to closed by call']);
  });

  it('that an operator holds open leaves the probes to the others', async () => {
    const [world, [a, b]] = (await worldOf(2, 10_000)) as [World, [Member, Member]];
    await openAll(world);
    a.breaker.forceOpen('maintenance');
    for (let calls = 0; calls < 10; calls += 1) {
      await world.call(a, true);
      await world.clock.advance('50ms');
    }
    expect(world.redis.fleet(KEY).holders(world.clock.monotonicMs())).toEqual([]);
    await closeBy(world, b);
    expect([a, b].map(({ breaker }) => breaker.state)).toEqual(['open', 'closed']);
    a.breaker.reset();
    await pass(world, 2);
    expect(a.breaker.state).toBe('closed');
  });

  it('asks once an interval, and a tenth of it after news, however many follow each other', async () => {
    const clock = new FakeClock();
    const redis = new FakeRedis(clock);
    const breaker = new CircuitBreaker({
      name: 'payments',
      failureThreshold: 1,
      recoveryTimeout: '5ms',
      clock,
    });
    const client = redis.client(() => AT_ONCE);
    const shared = shareCircuitBreakers({ client, breakers: [breaker], clock, interval: '100ms' });
    // The first answer says that there are others to hear, the second what they have come to.
    await clock.advance('10ms');
    await clock.advance('1s');
    expect(redis.runs).toBe(12);
    for (let news = 0; news < 100; news += 1) {
      await fail(breaker, 1);
      await clock.advance('6ms');
    }
    expect(redis.runs).toBeGreaterThan(12 + 30);
    expect(redis.runs).toBeLessThan(12 + 70);
    await clock.settle(shared.stop());
    expect(clock.pendingTimers).toBe(0);
  });

  it('tells nothing of the keys of its breaker as if they were the breaker', async () => {
    const [world, [a, b]] = (await worldOf(2)) as [World, [Member, Member]];
    await openAll(world);
    const key = a.breaker.keyed('tenant');
    await fail(key, 2);
    await world.call(a, true);
    await world.clock.advance(`${RECOVERY_MS + INTERVAL_MS / 2}ms`);
    expect(world.redis.fleet(KEY).holders(world.clock.monotonicMs())).toHaveLength(1);
    await key.run(() => 'fine');
    expect(key.state).toBe('closed');
    await pass(world, 2);
    expect([a, b].map(({ breaker }) => breaker.state)).toEqual(['open', 'open']);
  });
});
