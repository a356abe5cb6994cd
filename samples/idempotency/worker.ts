// One of the processes: charges the orders that it is sent, and tells what became of them.
import { Redis } from 'ioredis';
import { Resilient, resultOf } from 'relprim';
import { RedisIdempotencyStore } from 'relprim/redis';
import type { Tally } from './worker-process.js';

interface Settings {
  readonly bankUrl: string;
  readonly redisUrl?: string;
  readonly leaseMs: number;
}
const { bankUrl, redisUrl, leaseMs } = JSON.parse(process.argv[2] as string) as Settings;

const redis = redisUrl === undefined ? undefined : new Redis(redisUrl);
const store = redis && new RedisIdempotencyStore({ client: redis, lease: `${leaseMs}ms` });

class Payments {
  @Resilient({ idempotencyKey: (order: string) => order, idempotencyStore: store, timeout: '5s' })
  async charge(order: string): Promise<string> {
    const response = await fetch(`${bankUrl}/${order}`, { method: 'POST' });
    return response.text();
  }
}
const payments = new Payments();

process.on('message', (orders: readonly string[]) => {
  void Promise.all(orders.map(statusOf)).then((statuses) => {
    const count = (wanted: string): number => statuses.filter((status) => status === wanted).length;
    const tally: Tally = {
      executed: count('executed'),
      joined: count('joined'),
      replayed: count('replayed'),
      failed: count('failed'),
    };
    process.send?.(tally);
  });
});
process.on('disconnect', () => {
  store?.close();
  redis?.disconnect();
});

async function statusOf(order: string): Promise<string> {
  try {
    const { report } = await resultOf(payments.charge(order));
    return report.metadata.idempotency_status ?? 'none';
  } catch {
    return 'failed';
  }
}
