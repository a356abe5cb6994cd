import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, CircuitBreaker, EventEmitter, InMemoryEventSink } from '../../lib/index.js';
import { shareCircuitBreakers } from '../../lib/adapters/redis.js';
import { FakeClock } from '../../lib/testing/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { AT_ONCE, FakeRedis, type Fate } from './fake-redis.js';
import { changesOf, closeBy, KEY, openAll, pass, worldOf } from './scenes.js';
import { INTERVAL_MS, RECOVERY_MS } from './world.js';

describe('a Redis that is not heard', () => {
  it.each([0, 10, 20, 30, 40, 49])(
    'is missed within one interval, whenever it goes: %i ms after a question',
    async (afterMs) => {
      const [world, [a, b]] = await worldOf(2);
      await world.clock.advance(`${afterMs}ms`);
      expect([a.shared.state, b.shared.state]).toEqual(['shared', 'shared']);
      a.isCut = true;
      await world.clock.advance(`${INTERVAL_MS}ms`);
      expect([a.shared.state, b.shared.state]).toEqual(['alone', 'shared']);
      expect([a.breaker.snapshot().shared, b.breaker.snapshot().shared]).toEqual([false, true]);
    },
  );

  it('is not missed while it answers within half of one, or breaks a connection and is back', async () => {
    const [world, [a]] = await worldOf(2);
    const slow: Fate = { thereMs: 25, backMs: 24 };
    world.fates = [slow, AT_ONCE, { ...slow, backMs: undefined, brokenMs: 3 }, slow, slow];
    for (let steps = 0; steps < 200; steps += 1) {
      await pass(world, 0.1);
      expect(a.shared.state).toBe('shared');
    }
  });

  it('is asked no further than the client can settle: commands that wait for it are not piled up', async () => {
    const clock = new FakeClock();
    let asked = 0;
    const client = { ...new FakeRedis(clock).client(() => AT_ONCE) };
    client.evalsha = () => {
      asked += 1;
      return new Promise(() => undefined);
    };
    const breakers = ['one', 'other'].map((name) => new CircuitBreaker({ name, clock }));
    const shared = shareCircuitBreakers({ client, breakers, clock });
    await clock.advance('1h');
    expect(asked).toBeLessThan(30);
    expect(shared.state).toBe('alone');
    await clock.settle(shared.stop());
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a Redis that has lost everything', () => {
  it('is told what was so: they stay open, for the rest of their time and the longest lease', async () => {
    const [world, members] = await worldOf(3);
    await openAll(world);
    const { epoch } = world.redis.fleet(KEY);
    world.redis.loseAll();
    await pass(world, 2);
    expect(world.redis.fleet(KEY).epoch).toBe(epoch);
    expect(members.map(({ breaker }) => breaker.snapshot().openedBy)).toEqual(['fleet', 'fleet', 'fleet']);
    expect(members.map(changesOf)).toEqual([[], [], []]);
    await world.clock.advance('1s');
    await closeBy(world, members[0]);
    expect(members.map(({ breaker }) => breaker.state)).toEqual(['closed', 'closed', 'closed']);
  });

  it('lends no probe beside one that runs', async () => {
    const [world, [a, b]] = await worldOf(2);
    await openAll(world);
    await world.call(a, true);
    await world.clock.advance(`${RECOVERY_MS}ms`);
    expect(await world.begin(a)).toBeDefined();
    world.redis.loseAll();
    for (let passedMs = 0; passedMs < 900; passedMs += 50) {
      expect(await world.begin(b)).toBeUndefined();
      await world.clock.advance('50ms');
    }
    // The one whose probe hangs may have got the next turn, too, and makes nothing of it.
    for (let waits = 0; (await world.begin(b)) === undefined; waits += 1) {
      expect(waits).toBeLessThan(10);
      await world.clock.advance('50ms');
    }
  });

  it('while they were out of its reach is told the same', async () => {
    const [world, members] = await worldOf(2, { leaseMs: 400 });
    await openAll(world);
    for (const member of members) member.isCut = true;
    await pass(world, 1.5);
    expect(members.map(({ shared }) => shared.state)).toEqual(['alone', 'alone']);
    world.redis.loseAll();
    for (const member of members) member.isCut = false;
    await pass(world, 1.5);
    expect(members.map(({ breaker }) => breaker.isFleetOpen)).toEqual([true, true]);
    expect(members.map(changesOf)).toEqual([[], []]);
  });

  it('and closed ones stay closed, and open for all as ever', async () => {
    const [world, members] = await worldOf(2);
    await openAll(world);
    await closeBy(world, members[1]);
    world.redis.loseAll();
    await pass(world, 3);
    expect(members.map(({ breaker }) => breaker.state)).toEqual(['closed', 'closed']);
    await openAll(world);
  });
});

describe('a Redis whose clock is set back', () => {
  it('keeps them open no longer than they were to be, and forgets who has vanished', async () => {
    const [world, [a, b, c]] = await worldOf(3);
    await openAll(world);
    c.isCut = true;
    world.redis.setClock(-3_600_000);
    await pass(world, 5);
    expect([a.shared.replicas, b.shared.replicas]).toEqual([2, 2]);
    await closeBy(world, a);
    expect([a, b].map(({ breaker }) => breaker.state)).toEqual(['closed', 'closed']);
  });
});

describe('what the fleet does to a breaker', () => {
  it('is told to the sinks of each process that it moves, once', async () => {
    const clock = new FakeClock();
    const redis = new FakeRedis(clock);
    const sink = new InMemoryEventSink();
    const [first, second] = ['first', 'second'].map((process) => {
      const breaker = new CircuitBreaker({
        name: 'payments',
        failureThreshold: 1,
        recoveryTimeout: 1,
        clock,
      });
      const events = process === 'second' ? new EventEmitter({ sinks: [sink] }) : undefined;
      const client = redis.client(() => AT_ONCE);
      shareCircuitBreakers({ client, breakers: [breaker], quorum: 1, events, clock });
      return breaker;
    }) as [CircuitBreaker, CircuitBreaker];
    await clock.advance('1s');
    await first.run(() => Promise.reject(new Error('down'))).catch(() => undefined);
    await clock.advance('1s');
    first.reset();
    await clock.advance('1s');
    expect(second.state).toBe('closed');
    const told = sink
      .events()
      .map(({ eventType, operationName, payload }) => [eventType, operationName, payload]);
    const change = { breaker_name: 'payments', failure_count: 0 };
    expect(told).toEqual([
      ['circuit_breaker.sharing_changed', 'circuit_breakers', { shared: true, breaker_count: 1 }],
      [
        'circuit_breaker.opened',
        'circuit_breaker:payments',
        { ...change, from_state: 'closed', to_state: 'open', opened_by: 'fleet' },
      ],
      [
        'circuit_breaker.closed',
        'circuit_breaker:payments',
        { ...change, from_state: 'open', to_state: 'closed' },
      ],
    ]);
  });
});

describe('two breakers of one name', () => {
  it('are refused in a list', () => {
    const breakers = ['a', 'b', 'a'].map((name) => new CircuitBreaker({ name }));
    const client = new FakeRedis(new FakeClock()).client(() => AT_ONCE);
    const mistake = mistakeOf(() => shareCircuitBreakers({ client, breakers }));
    expect(mistake).toBeInstanceOf(ConfigurationError);
    expect(mistake.message).toBe(
      "breakers has two named 'a'; give each breaker a name of its own, as they are shared by their names",
    );
  });
});
