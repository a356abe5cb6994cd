import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster, Redis } from 'ioredis';
import { createCluster } from 'redis';
import { RedisIdempotencyStore } from '../../lib/adapters/redis.js';
import { rolesOf } from '../idempotency/support.js';
import { Upstream } from '../operation/support.js';
import { freePort, RedisServer } from './redis-server.js';
import { sharedStoreContract } from './shared-store-contract.js';
import { Answering, delay, describeWithRedis, freshKey, place, until, type Connected } from './support.js';

const LEASE_MS = 300;

/** A cluster of one: its clients find their way as in a large one. */
const CLUSTERS = {
  ioredis: async (port: number): Promise<Connected> => {
    const client = new Cluster([{ host: '127.0.0.1', port }]);
    client.on('error', () => undefined);
    await until(() => client.status === 'ready');
    return { client, close: () => client.disconnect() };
  },
  redis: async (port: number): Promise<Connected> => {
    const client = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] });
    client.on('error', () => undefined);
    await client.connect();
    return { client, close: () => client.destroy() };
  },
} as const;

describeWithRedis('RedisIdempotencyStore on a cluster', () => {
  let server: RedisServer;
  let admin: Redis;
  beforeAll(async () => {
    const bus = String(await freePort());
    const settings = ['--cluster-enabled', 'yes', '--cluster-port', bus];
    server = await RedisServer.start(undefined, [...settings, '--cluster-announce-ip', '127.0.0.1']);
    admin = new Redis(server.url);
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await until(async () => (await admin.cluster('INFO')).includes('cluster_state:ok'));
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  describe.each(['ioredis', 'redis'] as const)('with %s', (name) => {
    let connected: Connected;
    const stores: RedisIdempotencyStore[] = [];
    beforeAll(async () => {
      connected = await CLUSTERS[name](server.port);
    });
    afterEach(() => {
      for (const store of stores.splice(0)) store.close();
    });
    afterAll(() => connected.close());

    const open = (): RedisIdempotencyStore => {
      const store = new RedisIdempotencyStore({ client: connected.client, lease: `${LEASE_MS}ms` });
      stores.push(store);
      return store;
    };
    sharedStoreContract(open, LEASE_MS);

    it('tells those who wait, rather than letting them ask', async () => {
      let end = (): void => undefined;
      const upstream = new Upstream(() => new Promise<void>((resolve) => (end = resolve)));
      const waiting = new Answering(open());
      const key = freshKey();
      const first = place(open(), upstream.call).run(key);
      await until(() => upstream.calls.length > 0);
      const second = place(waiting, upstream.call).run(key);
      await until(() => waiting.answers > 0);
      await delay(LEASE_MS);
      expect((await admin.pubsub('NUMSUB', 'relprim:idempotency:done'))[1]).toBe(1);
      end();
      expect(rolesOf([await first, await second])).toEqual(['executed', 'joined']);
    });
  });
});
