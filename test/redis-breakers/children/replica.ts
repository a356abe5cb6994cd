// One process of a fleet: it calls an upstream through a shared breaker until it is told to end, and says what it did.
import { Redis } from 'ioredis';
import { CircuitBreaker } from '../../../lib/index.js';
import { shareCircuitBreakers } from '../../../lib/adapters/redis.js';

interface Orders {
  readonly redis: string;
  /** Where it asks whether to go on. */
  readonly control: string;
  /** What it calls. */
  readonly upstream: string;
  readonly name: string;
  readonly breaker: string;
  readonly leaseMs: number;
}

const orders = JSON.parse(process.argv[2] ?? '') as Orders;
const { control, upstream, name, leaseMs } = orders;
/** On the clock that all processes of a machine share. */
const nowMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const client = new Redis(orders.redis);
const breaker = new CircuitBreaker({
  name: orders.breaker,
  failureThreshold: 3,
  recoveryTimeout: '600ms',
  probes: { lease: `${leaseMs}ms` },
});
const changes: object[] = [];
breaker.onTransition(({ from, to, by, openedBy }) => changes.push({ from, to, by, openedBy, atMs: nowMs() }));
const states: string[] = [];
const shared = shareCircuitBreakers({ client, breakers: [breaker], onChange: (state) => states.push(state) });

async function work(): Promise<string> {
  const response = await fetch(`${upstream}/work?by=${name}&state=${breaker.state}&pid=${process.pid}`);
  if (!response.ok) throw new Error('down');
  const text = await response.text();
  if (text === 'die') process.kill(process.pid, 'SIGKILL');
  return text;
}

let isOver = false;
/** Several callers at a time: only the breaker keeps them from the upstream. */
const callers = Array.from({ length: 4 }, async () => {
  for (; !isOver; await pause(5)) await breaker.run(work).catch(() => undefined);
});
for (; !isOver; await pause(20)) {
  const { state, replicas } = shared;
  const told = JSON.stringify({ name, breaker: breaker.state, sharing: state, replicas, changes });
  const answer = await fetch(`${control}/say`, { method: 'POST', body: told });
  isOver = (await answer.text()) === 'end';
}
await Promise.all(callers);
await shared.stop();
await client.quit();
console.log(JSON.stringify({ name, changes, states }));
