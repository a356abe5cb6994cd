import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { CircuitBreaker } from '../../lib/index.js';
import { freePort, RedisServer } from '../redis/redis-server.js';
import { delay, describeWithRedis, freshKey, PACKAGES, until, type PackageName } from '../redis/support.js';
import { call, fail, INTERVAL_MS, RECOVERY_MS, replicaOf, type Replica } from './support.js';
import { SlowProxy } from './slow-proxy.js';

const names = Object.keys(PACKAGES) as PackageName[];
/** A machine that does other things is late. */
const SLACK_MS = 80;

describeWithRedis('shared circuit breakers and a Redis', () => {
  let server: RedisServer;
  let proxy: SlowProxy;
  const endings: (() => unknown)[] = [];
  beforeAll(async () => {
    server = await RedisServer.start();
    proxy = await SlowProxy.to(server.port);
  });
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
    proxy.delayMs = 0;
    proxy.mend();
    server.resume();
  });
  afterAll(async () => {
    await proxy.close();
    await server.stop();
  });

  async function join(name: string, kind: PackageName = 'ioredis', interval?: '250ms'): Promise<Replica> {
    const { client, close } = await PACKAGES[kind](proxy.url);
    endings.push(close);
    const replica = replicaOf({ client, name, share: interval === undefined ? {} : { interval } });
    endings.push(() => replica.shared.stop());
    return replica;
  }

  async function pair(kind?: PackageName): Promise<[Replica, Replica]> {
    const name = freshKey();
    const both: [Replica, Replica] = [await join(name, kind), await join(name, kind)];
    await until(() => both.every(({ shared }) => shared.state === 'shared' && shared.replicas === 2));
    return both;
  }

  /** Opens at its own failures and closes by its own probe, as if nobody shared it. */
  async function checkLocal({ breaker, changes }: Replica): Promise<void> {
    changes.length = 0;
    await fail(breaker, 2);
    expect(breaker.snapshot()).toMatchObject({
      state: 'open',
      openedBy: 'consecutive_failures',
      shared: false,
    });
    await delay(RECOVERY_MS + 20);
    expect(await call(breaker, 2)).toBe(2);
    expect(changes).toEqual([
      'closed to open by call',
      'open to half_open by call',
      'half_open to closed by call',
    ]);
  }

  const outages = {
    'whose connections are cut': {
      begin: () => proxy.cut(),
      end: () => proxy.mend(),
    },
    'that hangs': {
      begin: () => server.pause(),
      end: () => server.resume(),
    },
    'that is killed': {
      begin: () => server.stop(),
      end: async () => void (server = await RedisServer.start(server.port)),
    },
  };

  describe.each(Object.entries(outages))('%s', (_title, { begin, end }) => {
    it.each(names)('go by themselves within one interval, until it is back, with %s', async (kind) => {
      const both = await pair(kind);
      const startMs = performance.now();
      await begin();
      await until(() => both.every(({ shared }) => shared.state === 'alone'));
      expect(performance.now() - startMs).toBeLessThan(INTERVAL_MS + SLACK_MS);
      for (const { shared, breaker } of both) {
        expect(shared.replicas).toBe(1);
        expect(breaker.snapshot().shared).toBe(false);
      }
      await checkLocal(both[0]);
      expect(both[1].breaker.state).toBe('closed');
      await end();
      await until(() => both.every(({ shared }) => shared.state === 'shared' && shared.replicas === 2));
      for (const { states, breaker } of both) {
        expect(states).toEqual(['shared', 'alone', 'shared']);
        expect(breaker.snapshot().shared).toBe(true);
      }
      // They hear each other again.
      both[0].changes.length = 0;
      for (const { breaker } of both) await fail(breaker, 2);
      await until(() => both.every(({ breaker }) => breaker.snapshot().openedBy === 'fleet'));
    });
  });

  it('that is away for less than half an interval: nobody is told anything', async () => {
    const both = await pair();
    server.pause();
    await delay(INTERVAL_MS / 3);
    server.resume();
    await delay(3 * INTERVAL_MS);
    expect(both.map(({ states }) => states)).toEqual([['shared'], ['shared']]);
  });

  it('that was never there: go by themselves', async () => {
    const client = new Redis(await freePort(), '127.0.0.1');
    client.on('error', () => undefined);
    endings.push(() => client.disconnect());
    const replica = replicaOf({ client, name: freshKey() });
    await delay(3 * INTERVAL_MS);
    expect([replica.shared.state, replica.states]).toEqual(['alone', []]);
    await checkLocal(replica);
    const startMs = performance.now();
    await replica.shared.stop();
    expect(performance.now() - startMs).toBeLessThan(INTERVAL_MS + SLACK_MS);
  });

  it('that goes while they are open for all: they stay open for the rest of their time, then each probes', async () => {
    const both = await pair();
    for (const { breaker } of both) await fail(breaker, 2);
    await until(() => both.every(({ breaker }) => breaker.snapshot().openedBy === 'fleet'));
    proxy.cut();
    await until(() => both.every(({ shared }) => shared.state === 'alone'));
    expect(both.map(({ breaker }) => breaker.state)).toEqual(['open', 'open']);
    await delay(RECOVERY_MS + 20);
    for (const { breaker } of both) expect(await call(breaker, 1)).toBe(1);
    expect(both.map(({ changes }) => changes)).toEqual([
      ['closed to open by call', 'open to half_open by call', 'half_open to closed by call'],
      ['closed to open by call', 'open to half_open by call', 'half_open to closed by call'],
    ]);
    // Back, they find the fleet's breaker open still; one probe closes it.
    proxy.mend();
    await until(() => both.every(({ shared }) => shared.state === 'shared'));
    await until(async () => {
      for (const { breaker } of both) await call(breaker, 1);
      return both.every(({ breaker }) => breaker.state === 'closed' && !breaker.isFleetOpen);
    });
  });

  it('whose listener fails, or gives a promise that does: no harm', async () => {
    const { client, close } = await PACKAGES.ioredis(proxy.url);
    endings.push(close);
    const told: string[] = [];
    const onChange = (state: string): Promise<never> => {
      told.push(state);
      if (told.length === 1) return Promise.reject(new Error('a listener that is broken'));
      throw new Error('a listener that is broken');
    };
    const { shared } = replicaOf({ client, name: freshKey(), share: { onChange } });
    endings.push(() => shared.stop());
    await until(() => shared.state === 'shared');
    proxy.cut();
    await until(() => shared.state === 'alone');
    proxy.mend();
    await until(() => shared.state === 'shared');
    expect(told).toEqual(['shared', 'alone', 'shared']);
  });

  it('that answers after 50 ms: a call is not slower than without it', async () => {
    proxy.delayMs = 50;
    const name = freshKey();
    const { breaker, shared } = await join(name, 'ioredis', '250ms');
    const other = await join(name, 'ioredis', '250ms');
    await until(() => shared.state === 'shared' && other.shared.state === 'shared');
    const unshared = new CircuitBreaker({ name, failureThreshold: 2 });
    const times = { shared: [] as number[], unshared: [] as number[] };
    const work = (): Promise<string> => Promise.resolve('fine');
    // In turns, and slowly enough for some messages to come and go beside them.
    for (let batch = 0; batch < 100; batch += 1) {
      for (let turn = 0; turn < 200; turn += 1) {
        for (const [kind, which] of [
          ['shared', breaker],
          ['unshared', unshared],
        ] as const) {
          const startMs = performance.now();
          await which.run(work);
          times[kind].push(performance.now() - startMs);
        }
      }
      await delay(10);
    }
    const p99 = (all: number[]): number => all.sort((a, b) => a - b)[Math.floor(all.length * 0.99)] ?? NaN;
    const [with_, without] = [p99(times.shared), p99(times.unshared)];
    expect(times.shared).toHaveLength(20_000);
    expect(with_).toBeLessThanOrEqual(Math.max(without * 1.05, without + 0.1));
    expect([shared.state, breaker.state]).toEqual(['shared', 'closed']);
  });

  it('that answers after 50 ms: they open for all within two intervals', async () => {
    proxy.delayMs = 50;
    const name = freshKey();
    const fleet = [await join(name, 'ioredis', '250ms'), await join(name, 'redis', '250ms')];
    fleet.push(await join(name, 'ioredis', '250ms'));
    await until(() => fleet.every(({ shared }) => shared.state === 'shared' && shared.replicas === 3));
    const [a, b, c] = fleet as [Replica, Replica, Replica];
    await fail(a.breaker, 2);
    await fail(b.breaker, 2);
    const startMs = performance.now();
    await until(() => c.breaker.state === 'open');
    const tookMs = performance.now() - startMs;
    expect(tookMs).toBeLessThan(500 + SLACK_MS);
  });
});
