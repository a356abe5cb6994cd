// Shares breakers, and must end by itself: nothing of sharing may hold the process, stopped or not.
import { createClient } from 'redis';
import { Redis } from 'ioredis';
import { CircuitBreaker } from '../../../lib/index.js';
import { shareCircuitBreakers } from '../../../lib/adapters/redis.js';

const { url, kind, stops } = JSON.parse(process.argv[2] ?? '') as {
  url: string;
  kind: string;
  stops: boolean;
};
const startMs = performance.now();

async function connect() {
  if (kind === 'ioredis') return new Redis(url).on('error', () => undefined);
  const client = createClient({ url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

const client = await connect();
const breakers = ['one', 'other'].map((name) => new CircuitBreaker({ name }));
const shared = shareCircuitBreakers({ client, breakers, interval: '1s' });
while (shared.state !== 'shared') await new Promise((resolve) => setTimeout(resolve, 5));
if (stops) await shared.stop();
await client.quit();
process.on('exit', () => console.log(`${shared.state}, in time: ${performance.now() - startMs < 900}`));
