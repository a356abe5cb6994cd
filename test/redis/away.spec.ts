import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { IdempotencyStoreError, type IdempotencyStore } from '../../lib/index.js';
import {
  RedisIdempotencyStore,
  type RedisClient,
  type RedisIdempotencyStoreOptions,
} from '../../lib/adapters/redis.js';
import { keyMetadata, roleOf, rolesOf } from '../idempotency/support.js';
import { gives, rejection, Upstream } from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { freePort, RedisServer } from './redis-server.js';
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

const TIMEOUT_MS = 200;
const names = Object.keys(PACKAGES) as PackageName[];
const down = new Error('down');

describeWithRedis('a Redis that is away', () => {
  let server: RedisServer;
  const endings: (() => void)[] = [];
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterEach(() => {
    for (const end of endings.splice(0).reverse()) end();
  });
  afterAll(() => server.stop());

  function storeOn(
    client: RedisClient,
    options: Partial<RedisIdempotencyStoreOptions> = {},
  ): RedisIdempotencyStore {
    const commandTimeout = `${TIMEOUT_MS}ms` as const;
    const store = new RedisIdempotencyStore({ client, lease: '600ms', commandTimeout, ...options });
    endings.push(() => store.close());
    return store;
  }

  async function clientOf(name: PackageName): Promise<RedisClient> {
    const { client, close } = await PACKAGES[name](server.url);
    endings.push(close);
    return client;
  }

  async function open(
    name: PackageName,
    options: Partial<RedisIdempotencyStoreOptions> = {},
  ): Promise<RedisIdempotencyStore> {
    return storeOn(await clientOf(name), options);
  }

  /** Until the client has found the server again. */
  async function untilBack(store: IdempotencyStore): Promise<void> {
    const { run } = place(store, gives('back'), {}, { name: 'other' });
    await until(() =>
      run(freshKey()).then(
        () => true,
        () => false,
      ),
    );
  }

  async function restart(): Promise<void> {
    server = await RedisServer.start(server.port);
  }

  /** What a call says whose store fails when asked for the key. */
  async function checkFailing(store: IdempotencyStore): Promise<void> {
    const upstream = new Upstream(gives('value'));
    const strict = place(store, upstream.call);
    const failure = await rejection(strict.run(freshKey()));
    expect(failure.cause).toBeInstanceOf(IdempotencyStoreError);
    expect(upstream.calls).toHaveLength(0);
    const event = { eventType: 'idempotency.store_failed', step: 'claim', error_type: 'Error' };
    expect(strict.told()).toEqual([{ ...event, continued: false }]);

    const lenient = place(store, upstream.call, { onStoreError: 'run' });
    const { value, report } = await lenient.run(freshKey());
    expect(value).toBe('value');
    expect(keyMetadata(report)).toMatchObject({
      idempotency_status: 'executed',
      idempotency_protected: false,
    });
    expect(upstream.calls).toHaveLength(1);
    expect(lenient.told()).toEqual([{ ...event, continued: true }]);
  }

  it('from the beginning lets calls fail, or run without protection, within the time of a command', async () => {
    const client = new Redis(await freePort(), '127.0.0.1');
    client.on('error', () => undefined);
    endings.push(() => client.disconnect());
    const startMs = performance.now();
    await checkFailing(storeOn(client));
    expect(performance.now() - startMs).toBeLessThan(TIMEOUT_MS * 4);
  });

  it.each(names)('because it was killed: calls fail until it is back on its port, with %s', async (name) => {
    const store = await open(name);
    const { run } = place(store, gives('value'));
    const key = freshKey();
    await run(key);
    await server.stop();
    await checkFailing(store);
    await restart();
    await untilBack(store);
    // The server has kept nothing.
    expect(rolesOf([await run(key), await run(key)])).toEqual(['executed', 'replayed']);
  });

  it.each(names)('because it hangs: calls fail until it goes on, with %s', async (name) => {
    const store = await open(name, { lease: '1m' });
    const { run } = place(store, gives('value'));
    await run(freshKey());
    const key = freshKey();
    server.pause();
    const startMs = performance.now();
    const failure = await rejection(run(key));
    expect(performance.now() - startMs).toBeLessThan(TIMEOUT_MS * 2);
    expect(failure.cause).toBeInstanceOf(IdempotencyStoreError);
    expect(failure.cause.cause.message).toBe('Redis did not answer within 200 ms');
    await checkFailing(store);
    server.resume();
    // The server has read the request for the key by now. Nobody owns it, for a minute or at all.
    expect(roleOf((await run(key)).report)).toBe('executed');
  });

  it.each(names)(
    'when the work is done: its caller is given the value all the same, with %s',
    async (name) => {
      const gate = deferred<string>();
      const upstream = new Upstream(() => gate.promise, gives('again'));
      const store = await open(name);
      const { run, told } = place(store, upstream.call);
      const key = freshKey();
      const calls = Promise.all([run(key), run(key)]);
      await until(() => upstream.calls.length > 0);
      await server.stop();
      gate.resolve('value');
      const results = await calls;
      for (const { value, report } of results) {
        expect(value).toBe('value');
        expect(report.metadata.idempotency_kept).toBe(false);
      }
      expect(rolesOf(results)).toEqual(['executed', 'joined']);
      expect(told()).toEqual([
        { eventType: 'idempotency.store_failed', step: 'complete', error_type: 'Error', continued: true },
      ]);
      await restart();
      await untilBack(store);
    },
  );

  it('and answers later: an outcome that it was sent is kept after all', async () => {
    const gate = deferred<string>();
    const upstream = new Upstream(() => gate.promise);
    const { run } = place(await open('ioredis', { lease: '1m' }), upstream.call);
    const key = freshKey();
    const call = run(key);
    await until(() => upstream.calls.length > 0);
    server.pause();
    gate.resolve('value');
    expect((await call).report.metadata.idempotency_kept).toBe(false);
    server.resume();
    const { value, report } = await run(key);
    expect([value, roleOf(report), upstream.calls.length]).toEqual(['value', 'replayed', 1]);
  });

  it.each(names)(
    'when the work has failed: the failure is what its caller is told, with %s',
    async (name) => {
      const gate = deferred<string>();
      const upstream = new Upstream(() => gate.promise);
      const store = await open(name);
      const { run, told } = place(store, upstream.call);
      const call = rejection(run(freshKey()));
      await until(() => upstream.calls.length > 0);
      await server.stop();
      gate.reject(down);
      expect((await call).cause).toBe(down);
      await until(() => told().length > 0);
      expect(told()).toEqual([
        { eventType: 'idempotency.store_failed', step: 'release', error_type: 'Error', continued: true },
      ]);
      await restart();
      await untilBack(store);
    },
  );

  it('and comes back empty while somebody executes: the outcome is kept', async () => {
    const gate = deferred<string>();
    const upstream = new Upstream(() => gate.promise);
    const store = await open('ioredis');
    const { run, told } = place(store, upstream.call);
    const key = freshKey();
    const call = run(key);
    await until(() => upstream.calls.length > 0);
    await server.stop();
    await restart();
    await untilBack(store);
    gate.resolve('value');
    expect(rolesOf([await call, await run(key)])).toEqual(['executed', 'replayed']);
    expect([told(), upstream.calls.length]).toEqual([[], 1]);
  });

  it('for less than a lease costs nobody the key', async () => {
    const gate = deferred<string>();
    const upstream = new Upstream(() => gate.promise);
    const { run, told } = place(await open('ioredis'), upstream.call);
    const key = freshKey();
    const call = run(key);
    await until(() => upstream.calls.length > 0);
    server.pause();
    await delay(350);
    server.resume();
    // Longer than the lease, which its owner must have gone on to renew.
    await delay(700);
    const other = place(await open('ioredis'), upstream.call, { onInFlight: 'reject' });
    expect((await rejection(other.run(key))).cause.code).toBe('RELPRIM_IDEMPOTENCY_IN_FLIGHT');
    gate.resolve('value');
    expect(roleOf((await call).report)).toBe('executed');
    expect(told()).toEqual([]);
  });

  it.each(names)('while somebody waits for another process: the store has failed, with %s', async (name) => {
    const gate = deferred<string>();
    const upstream = new Upstream(() => gate.promise);
    const client = await clientOf(name);
    const store = storeOn(client);
    const key = freshKey();
    const first = place(store, upstream.call).run(key);
    await until(() => upstream.calls.length > 0);
    const places = (['fail', 'run'] as const).map((onStoreError) => {
      const waiting = new Answering(storeOn(client));
      return { ...place(waiting, gives('own'), { onStoreError }), waiting };
    });
    const strict = rejection(places[0]?.run(key) as Promise<unknown>);
    const lenient = places[1]?.run(key);
    await until(() => places.every(({ waiting }) => waiting.answers > 0));
    await server.stop();
    expect((await strict).cause).toBeInstanceOf(IdempotencyStoreError);
    const result = await lenient;
    expect([result?.value, result?.report.metadata.idempotency_protected]).toEqual(['own', false]);
    for (const { told } of places)
      expect(told()).toMatchObject([{ eventType: 'idempotency.store_failed', step: 'claim' }]);
    gate.resolve('value');
    await first;
    await restart();
    await untilBack(store);
  });
});
