import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { RedisIdempotencyStore, type RedisClient } from '../../lib/adapters/redis.js';
import { rolesOf } from '../idempotency/support.js';
import { gives, rejection, Upstream } from '../operation/support.js';
import { childProcesses } from '../support/child-processes.js';
import { deferred } from '../support/deferred.js';
import { RedisServer } from './redis-server.js';
import {
  Answering,
  delay,
  describeWithRedis,
  freshKey,
  PACKAGES,
  place,
  until,
  type PackageName,
} from './support.js';

const CHANNEL = 'relprim:idempotency:done';
const names = Object.keys(PACKAGES) as PackageName[];

describeWithRedis('the connection of RedisIdempotencyStore that is told', () => {
  const { runModule } = childProcesses('redis-wake-up');
  let server: RedisServer;
  let admin: Redis;
  const endings: (() => void)[] = [];
  beforeAll(async () => {
    server = await RedisServer.start();
    admin = new Redis(server.url);
  });
  afterEach(() => {
    for (const end of endings.splice(0).reverse()) end();
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  function storeOn(client: RedisClient): RedisIdempotencyStore {
    const store = new RedisIdempotencyStore({ client, lease: '10s' });
    endings.push(() => store.close());
    return store;
  }

  async function clientOf(name: PackageName): Promise<RedisClient> {
    const { client, close } = await PACKAGES[name](server.url);
    endings.push(close);
    return client;
  }

  async function listeners(): Promise<number> {
    return Number((await admin.pubsub('NUMSUB', CHANNEL))[1]);
  }

  /** Somebody executes, and somebody in another process waits. */
  async function waitingScene(client: RedisClient, waitingClient = client, store = storeOn(waitingClient)) {
    const gate = deferred<string>();
    const upstream = new Upstream(() => gate.promise);
    const waiting = new Answering(store);
    const key = freshKey();
    const first = place(storeOn(client), upstream.call).run(key);
    await until(() => upstream.calls.length > 0);
    const second = place(waiting, upstream.call).run(key);
    await until(() => waiting.answers > 0);
    return {
      store,
      upstream,
      /** Ends the work; gives how long it took until the other process had the value. */
      async end(): Promise<number> {
        const startMs = performance.now();
        gate.resolve('value');
        expect(rolesOf([await first, await second])).toEqual(['executed', 'joined']);
        expect(upstream.calls).toHaveLength(1);
        return performance.now() - startMs;
      },
    };
  }

  it.each(names)('is made when somebody first waits, and ends with the store, with %s', async (name) => {
    const client = await clientOf(name);
    await place(storeOn(client), gives('value')).run(freshKey());
    expect(await listeners()).toBe(0);
    const { store, end } = await waitingScene(client);
    await until(async () => (await listeners()) === 1);
    await end();
    expect(await listeners()).toBe(1);
    store.close();
    await until(async () => (await listeners()) === 0);
    store.close();
  });

  it.each(names)(
    'when it is lost and comes back: nobody waits for longer than a second, with %s',
    async (name) => {
      const client = await clientOf(name);
      const { end } = await waitingScene(client);
      await until(async () => (await listeners()) === 1);
      await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      // Whether it is back by now or not, the other process learns of it.
      expect(await end()).toBeLessThan(1_200);
      await until(async () => (await listeners()) === 1);
    },
  );

  it.each(names)('when it is back: those who wait are told at once again, with %s', async (name) => {
    const client = await clientOf(name);
    const { end } = await waitingScene(client);
    await until(async () => (await listeners()) === 1);
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await until(async () => (await listeners()) === 1);
    // Long enough that somebody who only asks would ask seldom.
    await delay(300);
    expect(await end()).toBeLessThan(50);
  });

  it.each(names)('when it ends for good: a new one is made, a second later, with %s', async (name) => {
    const client = await stubborn(name);
    const { store, end } = await waitingScene(client);
    await until(async () => (await listeners()) === 1);
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await until(async () => (await listeners()) === 0);
    expect(await end()).toBeLessThan(1_200);
    await delay(1_050);
    const next = await waitingScene(client, client, store);
    await until(async () => (await listeners()) === 1);
    await next.end();
  });

  /** A client that does not connect again. */
  async function stubborn(name: PackageName): Promise<RedisClient> {
    const { port } = server;
    if (name === 'ioredis') {
      const client = new Redis({ port, retryStrategy: () => null });
      endings.push(() => client.disconnect());
      return client;
    }
    const client = createClient({ socket: { port, reconnectStrategy: false } });
    endings.push(() => client.destroy());
    await client.connect();
    return client;
  }

  it.each(names)('when the server refuses it: those who wait ask instead, with %s', async (name) => {
    await admin.call('ACL', 'SETUSER', 'mute', 'on', '>secret', '~*', '&*', '+@all', '-subscribe');
    const { port } = server;
    const user = { username: 'mute', password: 'secret' };
    let mute: RedisClient;
    if (name === 'ioredis') {
      const client = new Redis({ port, ...user });
      endings.push(() => client.disconnect());
      await once(client, 'ready');
      mute = client;
    } else {
      const client = createClient({ socket: { port }, ...user });
      endings.push(() => client.destroy());
      await client.connect();
      mute = client;
    }
    const connectedBefore = await connections();
    const { end } = await waitingScene(mute);
    await delay(200);
    expect(await end()).toBeLessThan(250);
    // Tried once, and not once for each time that somebody asked.
    expect((await connections()) - connectedBefore).toBeLessThanOrEqual(1);
  });

  async function connections(): Promise<number> {
    const [, count] = /total_connections_received:(\d+)/.exec(await admin.info('stats')) ?? [];
    return Number(count);
  }

  it.each(names)(
    'when it is never made: those who wait ask instead, and closing ends it, with %s',
    async (name) => {
      // A server that takes connections and says nothing.
      const sockets = new Set<Socket>();
      const silent = createServer((socket) => {
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
        socket.resume();
      });
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      endings.push(() => silent.close());
      const { port } = silent.address() as AddressInfo;
      const client = await clientOf(name);
      const deaf = Object.create(client, {
        duplicate: {
          value: () =>
            name === 'ioredis'
              ? new Redis(port, '127.0.0.1')
              : createClient({ socket: { host: '127.0.0.1', port } }),
        },
      }) as RedisClient;
      const { store, end } = await waitingScene(client, name === 'ioredis' ? deaf : deafProxy(client, deaf));
      await until(() => sockets.size === 1);
      await delay(100);
      expect(await end()).toBeLessThan(250);
      store.close();
      await until(() => sockets.size === 0);
    },
  );

  /** Private fields of a client are found on itself only. */
  function deafProxy(client: RedisClient, deaf: RedisClient): RedisClient {
    return new Proxy(client, {
      get(target, property) {
        const source = property === 'duplicate' ? deaf : target;
        const value: unknown = Reflect.get(source, property);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  it('wakes those who wait when the store is closed, and lets them ask', async () => {
    const client = await clientOf('ioredis');
    const { store, end } = await waitingScene(client);
    await until(async () => (await listeners()) === 1);
    store.close();
    await delay(50);
    expect(await end()).toBeLessThan(250);
    expect(await listeners()).toBe(0);
  });

  it.each(names)('works on when the server has forgotten all scripts, with %s', async (name) => {
    await admin.flushall();
    const client = await clientOf(name);
    await admin.script('FLUSH');
    const { end } = await waitingScene(client);
    await admin.script('FLUSH');
    await end();
    await admin.script('FLUSH');
    const failing = place(storeOn(client), () => Promise.reject(new Error('down')));
    const key = freshKey();
    await rejection(failing.run(key));
    expect(failing.told()).toEqual([]);
    await until(async () => (await admin.keys('*')).length === 1);
  });

  it.each(names)(
    'keeps no process alive that has closed client and store, and nor does anything else, with %s',
    async (kind) => {
      await admin.flushall();
      const args = [JSON.stringify({ url: server.url, kind })];
      const ended = await runModule('test/redis/children/leaver.ts', { args });
      expect(ended).toEqual({
        code: 0,
        stdout: ['value executed,value joined', 'left', 'failed', 'ended within a second: true', ''].join(
          '\n',
        ),
        stderr: '',
      });
    },
  );
});
