import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import { InMemoryIdempotencyStore } from '../../lib/index.js';
import { RedisIdempotencyStore } from '../../lib/adapters/redis.js';
import { RedisServer } from './redis-server.js';
import { sharedStoreContract } from './shared-store-contract.js';
import { storeContract } from './store-contract.js';
import { describeWithRedis, PACKAGES, type Connected, type PackageName } from './support.js';

const LEASE_MS = 300;

describe('InMemoryIdempotencyStore', () => {
  storeContract(() => new InMemoryIdempotencyStore());
});

describeWithRedis('RedisIdempotencyStore', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server.stop());

  for (const name of Object.keys(PACKAGES) as PackageName[])
    for (const wake of ['push', 'poll'] as const)
      describe(`with ${name}, '${wake}'`, () => {
        let connected: Connected;
        const stores: RedisIdempotencyStore[] = [];
        beforeAll(async () => {
          connected = await PACKAGES[name](server.url);
        });
        afterEach(() => {
          for (const store of stores.splice(0)) store.close();
        });
        afterAll(() => connected.close());

        const open = (): RedisIdempotencyStore => {
          const store = new RedisIdempotencyStore({ client: connected.client, wake, lease: `${LEASE_MS}ms` });
          stores.push(store);
          return store;
        };
        storeContract(open);
        sharedStoreContract(open, LEASE_MS);
      });
});
