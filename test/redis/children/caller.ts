// One of several processes that share a Redis: calls a method with keys, as it is told, and says what came of the calls.
import { Redis } from 'ioredis';
import {
  EventEmitter,
  IdempotencyPolicy,
  reportOf,
  resilient,
  SystemClock,
  type Claim,
  type ClaimRequest,
  type Clock,
  type IdempotencyStore,
  type OwnedKey,
  type Timer,
} from '../../../lib/index.js';
import { RedisIdempotencyStore } from '../../../lib/adapters/redis.js';

interface Orders {
  readonly redis: string;
  /** Where the work is done and the processes meet. */
  readonly upstream: string;
  readonly name: string;
  readonly leaseMs: number;
  readonly wake?: 'push' | 'poll';
  /** The keys of each round; all calls of a round begin at the same time. */
  readonly rounds: readonly (readonly string[])[];
  /** Where it dies. */
  readonly dies?: 'claimed' | 'running' | 'before store' | 'after store';
  readonly clockSkewMs?: number;
}

const orders = JSON.parse(process.argv[2] ?? '') as Orders;
const { upstream, name, leaseMs, wake = 'push', clockSkewMs = 0 } = orders;

/** The clock of a machine that is set wrong. */
class WrongClock implements Clock {
  private readonly machine = new SystemClock();

  monotonicMs(): number {
    return this.machine.monotonicMs() + clockSkewMs;
  }

  wallMs(): number {
    return this.machine.wallMs() + clockSkewMs;
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    return this.machine.setTimer(callback, delayMs);
  }
}

async function ask(path: string): Promise<string> {
  const response = await fetch(`${upstream}${path}`, { method: 'POST' });
  return response.text();
}

/** Never comes back. */
function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

/** Dies when it has the key, before it keeps what came of the work, or when it has kept it. */
class DeadlyStore implements IdempotencyStore {
  constructor(private readonly store: IdempotencyStore) {}

  async claim(key: string, request: ClaimRequest): Promise<Claim> {
    const claim = await this.store.claim(key, request);
    if (claim.state !== 'owned') return claim;
    if (orders.dies === 'claimed') await die();
    const complete: OwnedKey['complete'] = async (outcome, ttlSeconds) => {
      if (orders.dies === 'before store') await die();
      await claim.complete(outcome, ttlSeconds);
      return die();
    };
    return { state: 'owned', complete, release: () => claim.release() };
  }
}

const clock = new WrongClock();
const client = new Redis(orders.redis);
const redisStore = new RedisIdempotencyStore({ client, wake, clock, lease: `${leaseMs}ms` });
const store = orders.dies === undefined ? redisStore : new DeadlyStore(redisStore);
const told: unknown[] = [];
const sink = {
  emit: ({ eventType, payload }: { eventType: string; payload: object }) => {
    if (eventType.startsWith('idempotency.')) told.push({ eventType, ...payload });
  },
};
/** When the work of a key was done, on the clock that all processes of a machine share. */
const doneMs = new Map<string, number>();
const nowMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

const call = resilient(
  {
    name: 'op',
    clock,
    events: new EventEmitter({ sinks: [sink] }),
    idempotency: new IdempotencyPolicy({ key: (key: string) => key, store, ttl: '1m' }),
  },
  async (key: string) => {
    if (orders.dies === 'running') void ask(`/jobs/${key}?pid=${process.pid}&by=${name}`).then(die);
    else {
      const value = await ask(`/jobs/${key}?pid=${process.pid}&by=${name}`);
      doneMs.set(key, nowMs());
      return value;
    }
    return new Promise<string>(() => undefined);
  },
);

async function outcomeOf(key: string): Promise<object> {
  const calledMs = nowMs();
  try {
    const { value, report } = await call(key);
    const { idempotency_status: role, ...metadata } = report.metadata;
    const kept = metadata.idempotency_kept !== false;
    return { key, value, role, kept, calledMs, doneMs: doneMs.get(key), settledMs: nowMs() };
  } catch (error) {
    return { key, error: String(error), status: reportOf(error)?.status };
  }
}

const outcomes: object[] = [];
for (const [round, keys] of orders.rounds.entries()) {
  await ask(`/meet/${round}`);
  outcomes.push(...(await Promise.all(keys.map(outcomeOf))));
}
await client.quit();
redisStore.close();
console.log(JSON.stringify({ outcomes, told }));
