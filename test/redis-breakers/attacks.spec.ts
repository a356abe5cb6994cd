import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { CircuitBreaker, CircuitBreakerRegistry } from '../../lib/index.js';
import { shareCircuitBreakers, type RedisClient } from '../../lib/adapters/redis.js';
import { RedisServer } from '../redis/redis-server.js';
import { delay, describeWithRedis, freshKey, PACKAGES, until, type PackageName } from '../redis/support.js';
import { call, fail, INTERVAL_MS, replicaOf, statesOf, type Replica } from './support.js';
import { SlowProxy } from './slow-proxy.js';

const names = Object.keys(PACKAGES) as PackageName[];
const settled = (): Promise<void> => delay(5 * INTERVAL_MS);

describeWithRedis('shared circuit breakers under attack', () => {
  let server: RedisServer;
  let proxy: SlowProxy;
  let admin: Redis;
  const endings: (() => unknown)[] = [];
  beforeAll(async () => {
    server = await RedisServer.start();
    proxy = await SlowProxy.to(server.port);
    admin = new Redis(server.url);
  });
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });
  afterAll(async () => {
    admin.disconnect();
    await proxy.close();
    await server.stop();
  });

  async function join(name: string, kind: PackageName = 'ioredis', options: object = {}): Promise<Replica> {
    const { client, close } = await PACKAGES[kind](proxy.url);
    endings.push(close);
    const replica = replicaOf({ client, name, ...options });
    endings.push(() => replica.shared.stop());
    return replica;
  }

  const areShared = (fleet: readonly Replica[]): Promise<void> =>
    until(() => fleet.every(({ shared }) => shared.state === 'shared' && shared.replicas === fleet.length));

  async function pair(
    options: object = {},
    kind?: PackageName,
    name = freshKey(),
  ): Promise<[Replica, Replica]> {
    const both: [Replica, Replica] = [await join(name, kind, options), await join(name, kind, options)];
    await areShared(both);
    return both;
  }

  const areOpen = (fleet: readonly Replica[]): Promise<void> =>
    until(() => fleet.every(({ breaker }) => breaker.snapshot().openedBy === 'fleet'));

  async function open(fleet: readonly Replica[]): Promise<void> {
    for (const { breaker } of fleet) await fail(breaker, 2);
    await areOpen(fleet);
  }

  it.each([
    'payments|1|1|9|9|1|99999',
    'p:q r\n\r\n$5 {x} %d \\0 "',
    'r:*',
    '支払い 🚰',
    `${'long '.repeat(200)}end`,
  ])('share a breaker whatever its name is: %j', async (name) => {
    const both = await pair({}, 'ioredis', name);
    await open(both);
    expect(statesOf(both)).toEqual(['open', 'open']);
    expect(await admin.exists(`relprim:circuit-breaker:${name}`)).toBe(1);
  });

  it('know nothing of those of another prefix', async () => {
    const name = freshKey();
    const share = (prefix: string) => ({ share: { prefix } });
    const [a, b] = [await join(name, 'ioredis', share('one:')), await join(name, 'ioredis', share('other:'))];
    await areShared([a]);
    await areShared([b]);
    for (const { breaker } of [a, b]) await fail(breaker, 2);
    await settled();
    expect([a, b].map(({ breaker }) => breaker.snapshot().openedBy)).toEqual([
      'consecutive_failures',
      'consecutive_failures',
    ]);
  });

  it.each(names)('go on when the server forgets the script, with %s', async (kind) => {
    const both = await pair({}, kind);
    await admin.script('FLUSH');
    await open(both);
    await admin.script('FLUSH');
    await settled();
    expect(both.map(({ states }) => states)).toEqual([['shared'], ['shared']]);
  });

  it('stay open when the server is emptied, and one probe closes them', async () => {
    const both = await pair({ probes: { lease: '200ms' } });
    await open(both);
    await admin.flushall();
    await delay(2 * INTERVAL_MS);
    expect(both.map(({ breaker }) => breaker.snapshot().openedBy)).toEqual(['fleet', 'fleet']);
    expect(both.map(({ changes }) => changes)).toEqual([
      ['closed to open by call'],
      ['closed to open by call'],
    ]);
    await until(async () => {
      for (const { breaker } of both) await call(breaker, 1);
      return statesOf(both).every((state) => state === 'closed');
    });
    const probes = both
      .flatMap(({ changes }) => changes)
      .filter((change) => change.endsWith('half_open by call'));
    expect(probes).toHaveLength(1);
  });

  it('go by themselves where something else has their key, and harm it in nothing', async () => {
    const name = freshKey();
    await admin.set(`relprim:circuit-breaker:${name}`, 'somebody else');
    const { breaker, shared, states } = await join(name);
    await settled();
    await fail(breaker, 2);
    expect([shared.state, states, breaker.state]).toEqual(['alone', [], 'open']);
    await shared.stop();
    expect(await admin.get(`relprim:circuit-breaker:${name}`)).toBe('somebody else');
  });

  it.each(names)(
    'ask no further than their client can settle while the server is away, with %s',
    async (kind) => {
      const away = await RedisServer.start();
      let underWay = 0;
      const counted = <T extends (...args: never[]) => Promise<unknown>>(send: T): T =>
        ((...args: never[]) => {
          underWay += 1;
          return send(...args).finally(() => (underWay -= 1));
        }) as unknown as T;
      let client: RedisClient;
      if (kind === 'ioredis') {
        const own = new Redis(away.url, { maxRetriesPerRequest: null });
        own.on('error', () => undefined);
        endings.push(() => own.disconnect());
        Object.defineProperty(own, 'evalsha', { value: counted(own.evalsha.bind(own) as never) });
        client = own;
      } else {
        const own = createClient({ url: away.url });
        own.on('error', () => undefined);
        await own.connect();
        endings.push(() => own.destroy());
        Object.defineProperty(own, 'evalSha', { value: counted(own.evalSha.bind(own) as never) });
        client = own;
      }
      const { shared } = replicaOf({ client, name: freshKey(), share: { interval: '20ms' } });
      endings.push(() => shared.stop());
      await until(() => shared.state === 'shared');
      await away.stop();
      await delay(1_500);
      expect(shared.state).toBe('alone');
      expect(underWay).toBeGreaterThan(0);
      expect(underWay).toBeLessThanOrEqual(12);
      const back = await RedisServer.start(away.port);
      endings.push(() => back.stop());
      await until(() => shared.state === 'shared');
    },
  );

  it('are not lost to those who are busy with something else for long', async () => {
    const both = await pair();
    for (let times = 0; times < 3; times += 1) {
      const endMs = performance.now() + 3 * INTERVAL_MS;
      while (performance.now() < endMs);
      await delay(INTERVAL_MS / 2);
    }
    await settled();
    expect(both.map(({ states }) => states)).toEqual([['shared'], ['shared']]);
  });

  describe('when sharing stops', () => {
    it.each(names)('while it asks: nothing is set, thrown or told afterwards, with %s', async (kind) => {
      proxy.delayMs = 40;
      const both = await pair({}, kind);
      const [a, b] = both;
      for (const { breaker } of both) await fail(breaker, 2);
      await delay(30);
      const [first, second] = [a.shared.stop(), a.shared.stop()];
      expect(a.shared.state).toBe('alone');
      let isFirstOver = false;
      void first.then(() => (isFirstOver = true));
      await second;
      expect(isFirstOver).toBe(true);
      proxy.delayMs = 0;
      await settled();
      expect(a.changes).toEqual(['closed to open by call']);
      expect(a.states).toEqual(['shared']);
      expect(b.shared.replicas).toBe(1);
    });

    it('in what it tells itself: no more is told', async () => {
      const { client, close } = await PACKAGES.ioredis(proxy.url);
      endings.push(close);
      const told: string[] = [];
      const { shared } = replicaOf({
        client,
        name: freshKey(),
        share: {
          onChange: (state) => {
            told.push(state);
            return shared.stop();
          },
        },
      });
      await settled();
      expect([told, shared.state]).toEqual([['shared'], 'alone']);
    });

    it('after the client was closed: it ends in time all the same', async () => {
      const { client, close } = await PACKAGES.redis(proxy.url);
      const { shared, breaker } = replicaOf({ client, name: freshKey() });
      await until(() => shared.state === 'shared');
      close();
      await shared.stop();
      expect(breaker.snapshot().shared).toBe(false);
    });

    it('its breakers have no listener left, and may be shared again', async () => {
      const name = freshKey();
      const [a, b] = await pair({}, 'ioredis', name);
      const { listeners } = a.breaker as unknown as { listeners: { entries: Set<unknown> } };
      expect(listeners.entries.size).toBe(2);
      await a.shared.stop();
      expect(listeners.entries.size).toBe(1);
      const { client, close } = await PACKAGES.ioredis(proxy.url);
      endings.push(close);
      const again = shareCircuitBreakers({ client, breakers: [a.breaker], interval: `${INTERVAL_MS}ms` });
      endings.push(() => again.stop());
      await until(() => again.state === 'shared' && again.replicas === 2);
      await open([a, b]);
    });
  });

  it('are shared once where a registry has two of one name, and a warning says so', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const registry = new CircuitBreakerRegistry();
    const [first, second] = [new CircuitBreaker({ name: 'twin' }), new CircuitBreaker({ name: 'twin' })];
    registry.register(first, 'a');
    registry.register(second, 'b');
    const { client, close } = await PACKAGES.ioredis(proxy.url);
    endings.push(close);
    const shared = shareCircuitBreakers({ client, breakers: registry, interval: `${INTERVAL_MS}ms` });
    await until(() => shared.state === 'shared');
    await settled();
    await shared.stop();
    expect([first.snapshot().shared, second.snapshot().shared]).toEqual([false, null]);
    expect(warn.mock.calls).toEqual([
      [
        "two circuit breakers are named 'twin', so that only the first one is shared; give each a name of its own",
        { code: 'RELPRIM' },
      ],
    ]);
    warn.mockRestore();
  });
});
