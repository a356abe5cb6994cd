// Uses the store in every way, closes all that it opened, and must end by itself: nothing of the store may hold it.
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { IdempotencyPolicy, resilient } from '../../../lib/index.js';
import { RedisIdempotencyStore } from '../../../lib/adapters/redis.js';

const { url, kind } = JSON.parse(process.argv[2] ?? '') as { url: string; kind: string };

async function connect() {
  // What still runs when the client is closed fails, and ioredis would say so.
  if (kind === 'ioredis') return new Redis(url).on('error', () => undefined);
  const client = createClient({ url });
  await client.connect();
  return client;
}

const client = await connect();
const open = (): RedisIdempotencyStore => new RedisIdempotencyStore({ client, lease: '1m' });
const never = (): Promise<string> => new Promise(() => undefined);
const place = (store: RedisIdempotencyStore, fn: (key: string, signal?: AbortSignal) => Promise<string>) =>
  resilient(
    {
      name: 'op',
      idempotency: new IdempotencyPolicy({ key: (key: string) => key, store }),
      signal: (_key: string, signal?: AbortSignal) => signal,
    },
    fn,
  );
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const [one, other] = [open(), open()];
const done = place(one, () => pause(50).then(() => 'value'));
const waits = place(other, never);
const both = [done('done')];
await pause(20);
both.push(waits('done'));
console.log(
  (await Promise.all(both))
    .map(({ value, report }) => `${value} ${report.metadata.idempotency_status}`)
    .join(),
);

// Work that goes on for somebody who waits in the other process, when its own caller has left.
const leaving = new AbortController();
const left = place(one, never)('endless', leaving.signal).catch(() => 'left');
await pause(20);
const waiting = waits('endless').catch(() => 'failed');
await pause(20);
leaving.abort();
console.log(await left);

const startMs = performance.now();
process.on('exit', () => console.log(`ended within a second: ${performance.now() - startMs < 1_000}`));
await client.quit();
one.close();
other.close();
console.log(await waiting);
