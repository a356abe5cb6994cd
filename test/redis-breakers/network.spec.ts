import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker } from '../../lib/index.js';
import { shareCircuitBreakers } from '../../lib/adapters/redis.js';
import { FakeClock } from '../../lib/testing/index.js';
import { AT_ONCE, BROKEN, FakeRedis } from './fake-redis.js';
import { changesOf, closeBy, KEY, openAll, pass, worldOf } from './scenes.js';
import { fail } from './support.js';
import { INTERVAL_MS, RECOVERY_MS } from './world.js';

describe('a process of a fleet', () => {
  it('that was out of reach while the others closed neither opens them again nor stays open', async () => {
    const [world, [a, b, c]] = await worldOf(3);
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
    const [world, [a, b]] = await worldOf(2);
    await openAll(world);
    await world.call(a, true);
    await world.clock.advance(`${RECOVERY_MS}ms`);
    const probe = await world.begin(a);
    world.fates = [BROKEN];
    await world.settle(probe!, true);
    await pass(world, 0.6);
    world.fates = [AT_ONCE];
    await pass(world, 2);
    expect(a.shared.state).toBe('shared');
    expect(changesOf(a)).toEqual(['open to half_open by call', 'half_open to closed by call']);
    expect(changesOf(b)).toEqual(['open to closed by fleet']);
  });

  it('whose probe is good while it asks does not do as the answer says, which is older', async () => {
    const [world, [a, b]] = await worldOf(2);
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
    const [world, [a, b, c]] = await worldOf(3);
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
    const [world, [a, b]] = await worldOf(2, { leaseMs: 150 });
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
    const [world, [a, b]] = await worldOf(2, { leaseMs: 10_000 });
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

  it('asks twice an interval, and a tenth of it after news, however many follow each other', async () => {
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
    expect(redis.runs).toBe(22);
    for (let news = 0; news < 100; news += 1) {
      await fail(breaker, 1);
      await clock.advance('6ms');
    }
    expect(redis.runs).toBeGreaterThan(22 + 30);
    expect(redis.runs).toBeLessThan(22 + 70);
    await clock.settle(shared.stop());
    expect(clock.pendingTimers).toBe(0);
  });

  it('tells nothing of the keys of its breaker as if they were the breaker', async () => {
    const [world, [a, b]] = await worldOf(2);
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
