import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import {
  currentAttempt,
  SystemClock,
  type Claim,
  type ExecutionReport,
  type KeptOutcome,
  type OwnedKey,
} from '../../lib/index.js';
import { RedisIdempotencyStore } from '../../lib/adapters/redis.js';
import { gives, hangs, rejection, Upstream } from '../operation/support.js';
import { RedisServer } from './redis-server.js';
import { Answering, delay, describeWithRedis, freshKey, place, until } from './support.js';

const LEASE_MS = 300;

describeWithRedis('the owner of a key in Redis', () => {
  let server: RedisServer;
  let client: Redis;
  let report: ExecutionReport;
  let key: string;
  const stores: RedisIdempotencyStore[] = [];
  beforeAll(async () => {
    server = await RedisServer.start();
    client = new Redis(server.url);
    ({ report } = await place(open(), gives('any')).run(freshKey()));
  });
  beforeEach(async () => {
    key = freshKey();
    await client.flushall();
  });
  afterEach(() => {
    for (const store of stores.splice(0)) store.close();
  });
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  function open(): RedisIdempotencyStore {
    const store = new RedisIdempotencyStore({ client, lease: `${LEASE_MS}ms` });
    stores.push(store);
    return store;
  }

  const claim = (waits = false): Promise<Claim> =>
    open().claim(key, { fingerprint: undefined, clock: new SystemClock(), waits });

  async function own(): Promise<OwnedKey> {
    const owned = await claim();
    if (owned.state !== 'owned') throw new Error(`the key is ${owned.state}`);
    return owned;
  }

  const outcome = (value: unknown): KeptOutcome => ({ value, report });
  const nameOf = async (): Promise<string> => (await client.keys('*'))[0] ?? '';
  /** As if the owner had given no sign of life for a lease. */
  const lose = async (): Promise<unknown> => client.del(await nameOf());

  it('can neither keep, free nor extend a key that is somebody else’s by now', async () => {
    const first = await own();
    await lose();
    const second = await own();
    const token = await client.hget(await nameOf(), 't');
    await first.release();
    expect(await first.complete(outcome('late'), 60)).toBe('lost');
    expect(await client.hgetall(await nameOf())).toMatchObject({ s: 'r', t: token });
    // Only the first one's signs of life could keep it from here on.
    await client.hset(await nameOf(), 't', 'nobody');
    await until(async () => (await client.dbsize()) === 0, LEASE_MS + 200);
    expect(await second.complete(outcome('kept after all'), 60)).toBe(undefined);
    expect(await claim()).toMatchObject({ state: 'done', outcome: { value: 'kept after all' } });
  });

  it('that has lost it to one who is done overwrites nothing, and frees nothing', async () => {
    const first = await own();
    await lose();
    await (await own()).complete(outcome('second'), 60);
    expect(await first.complete(outcome('first'), 60)).toBe('lost');
    await first.release();
    expect(await claim()).toMatchObject({ state: 'done', outcome: { value: 'second' } });
  });

  it('is told that nobody waits when it has lost it', async () => {
    const first = await own();
    await lose();
    const second = await own();
    await claim(true);
    await first.untilUnawaited?.();
    await second.release();
  });

  it('that ended gives no more signs of life', async () => {
    const owned = await own();
    await owned.release();
    await client.hset('of another', 's', 'r');
    await delay(LEASE_MS);
    expect(await client.keys('*')).toEqual(['of another']);
  });

  it('keeps that there was no value at all', async () => {
    await (await own()).complete({ value: 'nothing', report, withoutValue: true }, 60);
    const known = await claim();
    expect(known).toMatchObject({ state: 'done', outcome: { value: undefined, withoutValue: true } });
  });

  it('is refused an outcome that another version has written', async () => {
    await (await own()).complete(outcome('value'), 60);
    await client.hset(await nameOf(), 'v', JSON.stringify({ version: 2 }));
    expect((await rejection<Error>(claim())).message).toBe(
      'the outcome was written by another version of this library, in form 2',
    );
  });

  it('goes on for those who wait elsewhere, and ends soon after they have left as well', async () => {
    const signals: AbortSignal[] = [];
    const upstream = new Upstream(() => {
      signals.push(currentAttempt().signal);
      return hangs();
    });
    const leaving = new AbortController();
    const { run } = place(open(), upstream.call);
    const left = rejection(run(key, leaving.signal));
    await until(() => upstream.calls.length > 0);
    const waiting = new Answering(open());
    const late = rejection(place(waiting, hangs, {}, { deadline: '200ms' }).run(key));
    await until(() => waiting.answers > 0);
    leaving.abort();
    await Promise.all([left, late]);
    expect(signals[0]?.aborted).toBe(false);
    // It is taken to wait for three seconds from when it last asked.
    await until(() => signals[0]?.aborted === true, 3_500);
    await until(async () => (await client.dbsize()) === 0);
  });
});
