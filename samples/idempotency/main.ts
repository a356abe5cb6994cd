// Two processes are delivered the same work again and again, and one of them dies in the middle of it. Run it with
// npm run build && npx tsc -p tsconfig.samples.json && node .build/samples/idempotency/main.js
import { table } from '../outage/table.js';
import { Bank } from './bank.js';
import { OwnRedis } from './own-redis.js';
import { Worker, type Tally } from './worker-process.js';

const ORDERS = 25;
const DELIVERIES = 4;
const LEASE_MS = 1_500;

const redis = await OwnRedis.start();
const bank = new Bank();
await bank.start();

console.log(
  redis === undefined
    ? `There is no redis-server on the PATH, so this runs in one process, on the store in memory.`
    : `Two processes share a Redis. Keys are leased for ${LEASE_MS / 1_000} s.`,
);
console.log(
  `Each of ${ORDERS} orders is delivered ${DELIVERIES} times to each process; the bank takes its time.\n`,
);

const names = redis === undefined ? ['one'] : ['one', 'two'];
const workers = names.map(() => new Worker(bank.url, redis?.url, LEASE_MS));
const orders = Array.from({ length: ORDERS }, (_, index) => `o-${index + 1}`);
// Two rounds: what comes at once, and what comes when the work is done.
const round = Array.from({ length: DELIVERIES / 2 }, () => orders).flat();
const deliver = (): Promise<Tally[]> =>
  Promise.all(workers.map((worker, index) => worker.charge(index === 0 ? round : round.toReversed())));
const tallies = addUp(await deliver(), await deliver());

const rows = tallies.map(({ executed, joined, replayed, failed }: Tally, index) => [
  names[index] as string,
  ORDERS * DELIVERIES,
  executed,
  joined,
  replayed,
  failed,
]);
console.log(table(['process', 'delivered', 'executed', 'joined', 'replayed', 'failed'], rows));
console.log(`\nThe bank was asked ${bank.charges} times for ${ORDERS} orders.`);

if (redis !== undefined) await dieInTheMiddle(workers as [Worker, Worker]);
workers.forEach((worker) => worker.end());
await bank.stop();
await redis?.stop();

function addUp(first: readonly Tally[], second: readonly Tally[]): Tally[] {
  return first.map((one, index) => {
    const other = second[index] as Tally;
    return {
      executed: one.executed + other.executed,
      joined: one.joined + other.joined,
      replayed: one.replayed + other.replayed,
      failed: one.failed + other.failed,
    };
  });
}

/** The owner of a key dies while it works, and somebody else waits for it. */
async function dieInTheMiddle([one, two]: [Worker, Worker]): Promise<void> {
  const before = bank.charges;
  const asked = bank.nextCharge();
  void one.charge(['o-last']).catch(() => undefined);
  await asked;
  const waiting = two.charge(['o-last']);
  const start = performance.now();
  one.kill();
  const { executed } = await waiting;
  const seconds = (performance.now() - start) / 1_000;
  console.log(`
Process one is killed while it charges one more order, and process two waits for it.
Process two took over ${executed} order after ${seconds.toFixed(1)} s, when the lease had ended.
The bank was asked ${bank.charges - before} times for that order: it had no key, and nobody could tell what became of the first.`);
}
