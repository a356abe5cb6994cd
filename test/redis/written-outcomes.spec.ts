import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { IdempotencyResultUnavailableError } from '../../lib/index.js';
import { RedisIdempotencyStore, type RedisIdempotencyStoreOptions } from '../../lib/adapters/redis.js';
import { keyMetadata, roleOf, rolesOf } from '../idempotency/support.js';
import { gives, rejection, Upstream } from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { mistakeOf } from '../support/mistake-of.js';
import { RedisServer } from './redis-server.js';
import { Answering, delay, describeWithRedis, freshKey, place, until } from './support.js';

describeWithRedis('what RedisIdempotencyStore writes', () => {
  let server: RedisServer;
  let client: Redis;
  const stores: RedisIdempotencyStore[] = [];
  beforeAll(async () => {
    server = await RedisServer.start();
    client = new Redis(server.url);
  });
  afterEach(() => {
    for (const store of stores.splice(0)) store.close();
  });
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  function open(options: Partial<RedisIdempotencyStoreOptions> = {}): RedisIdempotencyStore {
    const store = new RedisIdempotencyStore({ client, lease: '400ms', ...options });
    stores.push(store);
    return store;
  }

  const circle: { self?: unknown } = {};
  circle.self = circle;

  it.each([
    { what: 'a circle', value: circle, reason: 'not_encodable' },
    { what: 'a BigInt', value: { amount: 1n }, reason: 'not_encodable' },
    { what: 'a function', value: () => 'nothing to write', reason: 'not_encodable' },
    { what: 'a symbol', value: Symbol('nothing to write'), reason: 'not_encodable' },
    { what: 'a text that is too long', value: 'x'.repeat(99), reason: 'too_large' },
    { what: 'a text of too many bytes', value: 'ü'.repeat(50), reason: 'too_large' },
  ] as const)('gives $what to who executed, and nobody executes again', async ({ value, reason }) => {
    const upstream = new Upstream(gives(value), gives('another'));
    const options = { maxValueBytes: 100 };
    const [one, other] = [place(open(options), upstream.call), place(open(options), upstream.call)];
    const key = freshKey();
    const first = await one.run(key);
    expect(first.value).toBe(value);
    expect(keyMetadata(first.report)).toMatchObject({
      idempotency_status: 'executed',
      idempotency_kept: false,
    });
    expect(one.told()).toEqual([{ eventType: 'idempotency.not_kept', reason }]);
    for (const { run } of [one, other]) {
      const { cause } = await rejection(run(key));
      expect(cause).toBeInstanceOf(IdempotencyResultUnavailableError);
      expect((cause as IdempotencyResultUnavailableError).reason).toBe(reason);
    }
    expect(upstream.calls).toHaveLength(1);
  });

  it('keeps a value that is exactly as long as it may be', async () => {
    const { run } = place(open({ maxValueBytes: 100 }), gives('ü'.repeat(49)));
    const key = freshKey();
    expect(rolesOf([await run(key), await run(key)])).toEqual(['executed', 'replayed']);
  });

  it('tells one who waits in the other process that the value cannot be given', async () => {
    const gate = deferred<unknown>();
    const upstream = new Upstream(() => gate.promise);
    const waiting = new Answering(open());
    const key = freshKey();
    const first = place(open(), upstream.call).run(key);
    await until(() => upstream.calls.length > 0);
    const second = rejection(place(waiting, upstream.call).run(key));
    await until(() => waiting.answers > 0);
    gate.resolve(circle);
    expect((await first).value).toBe(circle);
    expect((await second).cause).toBeInstanceOf(IdempotencyResultUnavailableError);
    expect(upstream.calls).toHaveLength(1);
  });

  it('writes and reads values as its codec says', async () => {
    const seen: unknown[] = [];
    const codec = {
      encode: (value: unknown) => (seen.push(value), (value as Date).toISOString()),
      decode: (text: string) => (seen.push(text), new Date(text)),
    };
    const day = new Date('2026-01-02T03:04:05.678Z');
    const { run } = place(open({ codec }), gives(day));
    const key = freshKey();
    expect((await run(key)).value).toBe(day);
    expect((await run(key)).value).toEqual(day);
    expect(seen).toEqual([day, day.toISOString()]);
  });

  it.each([
    { what: 'a number', encode: () => 7 },
    { what: 'bytes', encode: () => Buffer.from('x') },
    { what: 'a promise', encode: () => Promise.resolve('x') },
    { what: 'nothing', encode: () => undefined },
  ])('keeps no value of which its codec makes $what', async ({ encode }) => {
    const codec = { encode: encode as () => never, decode: (text: string) => text };
    const store = open({ codec });
    const { run, told } = place(store, gives('value'));
    const key = freshKey();
    expect((await run(key)).value).toBe('value');
    expect(told()).toEqual([{ eventType: 'idempotency.not_kept', reason: 'not_encodable' }]);
    expect((await rejection(run(key))).cause).toBeInstanceOf(IdempotencyResultUnavailableError);
  });

  it('executes nothing again when its codec cannot read a value, not even without protection', async () => {
    const upstream = new Upstream(gives('value'));
    const codec = {
      encode: String,
      decode: (): never => {
        throw new Error('unreadable');
      },
    };
    const { run } = place(open({ codec }), upstream.call, { onStoreError: 'run' });
    const key = freshKey();
    await run(key);
    expect((await rejection(run(key))).cause).toBeInstanceOf(IdempotencyResultUnavailableError);
    expect(upstream.calls).toHaveLength(1);
  });

  it('keeps a value for longer than Redis can count', async () => {
    const { run, told } = place(open(), gives('value'), { ttl: 1e300 });
    const key = freshKey();
    expect(rolesOf([await run(key), await run(key)])).toEqual(['executed', 'replayed']);
    expect(told()).toEqual([]);
  });

  it('names keys and channel by digests only, and lets others know no more than that', async () => {
    await client.flushall();
    const heard: string[] = [];
    const listener = new Redis(server.url);
    listener.on('message', (_channel: string, message: string) => heard.push(message));
    await listener.subscribe('relprim:idempotency:done');
    const gate = deferred<string>();
    const upstream = new Upstream(() => gate.promise);
    const fingerprint = () => 'payload in clear';
    const waiting = new Answering(open());
    const first = place(open(), upstream.call, { fingerprint }).run('key in clear');
    await until(() => upstream.calls.length > 0);
    const second = place(waiting, upstream.call, { fingerprint }).run('key in clear');
    await until(() => waiting.answers > 0);
    gate.resolve('value');
    expect(rolesOf([await first, await second])).toEqual(['executed', 'joined']);
    await until(() => heard.length > 0);
    const id = createHash('sha256').update('op\u0000key in clear').digest('hex');
    expect(await client.keys('*')).toEqual([`relprim:idempotency:${id}`]);
    expect(await client.pubsub('CHANNELS')).toEqual(['relprim:idempotency:done']);
    expect(heard).toEqual([id]);
    const stored = JSON.stringify(await client.hgetall(`relprim:idempotency:${id}`));
    expect(stored).not.toContain('in clear');
    listener.disconnect();
  });

  it('lets what it keeps end with its time to live, and what it owns with its lease', async () => {
    await client.flushall();
    const gate = deferred<string>();
    const upstream = new Upstream(() => gate.promise);
    const call = place(open(), upstream.call, { ttl: '10s' }).run(freshKey());
    await until(() => upstream.calls.length > 0);
    const [name = ''] = await client.keys('*');
    const leaseMs = await client.pttl(name);
    expect(leaseMs > 100 && leaseMs <= 400).toBe(true);
    gate.resolve('value');
    await call;
    const ttlMs = await client.pttl(name);
    expect(ttlMs > 9_000 && ttlMs <= 10_000).toBe(true);
  });

  it('leaves nothing on the server after a failure', async () => {
    await client.flushall();
    const failing = place(open(), () => Promise.reject(new Error('down')));
    await rejection(failing.run(freshKey()));
    await until(async () => (await client.dbsize()) === 0);
  });

  it('begins all names with its prefix, and shares no keys with another one', async () => {
    await client.flushall();
    const upstream = new Upstream(gives('value'));
    const key = freshKey();
    const results = [
      await place(open({ prefix: 'one:' }), upstream.call).run(key),
      await place(open({ prefix: 'two:' }), upstream.call).run(key),
      await place(open({ prefix: 'one:' }), upstream.call).run(key),
    ];
    expect(rolesOf(results)).toEqual(['executed', 'executed', 'replayed']);
    expect((await client.keys('*')).map((name) => name.slice(0, 4)).sort()).toEqual(['one:', 'two:']);
  });

  it('shares no work with another application whose client has a prefix of its own', async () => {
    const prefixed = new Redis(server.url, { keyPrefix: 'app:' });
    const gate = deferred<string>();
    const upstream = new Upstream(() => gate.promise);
    const waiting = new Answering(open({ client: prefixed }));
    const key = freshKey();
    const first = place(open({ client: prefixed }), upstream.call).run(key);
    await until(() => upstream.calls.length > 0);
    const second = place(waiting, upstream.call).run(key);
    await until(() => waiting.answers > 0);
    // Long enough that somebody who only asks would ask seldom.
    await delay(300);
    const startMs = performance.now();
    gate.resolve('value');
    expect(rolesOf([await first, await second])).toEqual(['executed', 'joined']);
    expect(performance.now() - startMs).toBeLessThan(50);
    expect(roleOf((await place(open(), upstream.call).run(key)).report)).toBe('executed');
    prefixed.disconnect();
  });

  it.each([
    { stringNumbers: true },
    { enableOfflineQueue: false },
    { lazyConnect: true },
    { enableAutoPipelining: true },
    { autoResubscribe: false },
  ])('works with a client that has %j', async (settings) => {
    const own = new Redis(server.url, settings);
    if (settings.lazyConnect !== true) await until(() => own.status === 'ready');
    const gate = deferred<string>();
    const upstream = new Upstream(() => gate.promise);
    const waiting = new Answering(open({ client: own }));
    const key = freshKey();
    const one = place(open({ client: own, lease: '200ms' }), upstream.call);
    const first = one.run(key);
    await until(() => upstream.calls.length > 0);
    const second = place(waiting, upstream.call).run(key);
    await until(() => waiting.answers > 0);
    await delay(300);
    expect((await client.pubsub('NUMSUB', 'relprim:idempotency:done'))[1]).toBe(1);
    gate.resolve('value');
    expect(rolesOf([await first, await second])).toEqual(['executed', 'joined']);
    expect(one.told()).toEqual([]);
    own.disconnect();
  });

  it.each([
    [{ client: {} }, 'client'],
    [{ wake: 'shout' }, 'wake'],
    [{ prefix: ' ' }, 'prefix'],
    [{ lease: 0 }, 'lease'],
    [{ commandTimeout: -1 }, 'commandTimeout'],
    [{ maxValueBytes: 0.5 }, 'maxValueBytes'],
    [{ codec: JSON }, 'codec'],
    [{ leases: 1 }, 'leases'],
  ])('refuses %j', (options, option) => {
    const given = { client, ...options } as RedisIdempotencyStoreOptions;
    expect(mistakeOf(() => new RedisIdempotencyStore(given)).option).toBe(option);
  });
});
