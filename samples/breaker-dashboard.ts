// A line for each of three circuit breakers, while their upstream gets slow, dies and returns. Run it with
// npm run build && npx tsc -p tsconfig.samples.json && node .build/samples/breaker-dashboard.js
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CircuitBreaker, isRetryableHttp, resilient } from 'relprim';

type Phase = 'well' | 'slow' | 'dead' | 'back';
const PHASES: readonly [Phase, ms: number][] = [
  ['well', 1_000],
  ['slow', 1_500],
  ['dead', 1_500],
  ['back', 2_000],
];
let phase: Phase = 'well';

const upstream = createServer((_request, response) => {
  if (phase === 'dead') response.socket?.destroy();
  else setTimeout(() => response.end('ok'), phase === 'slow' ? 120 : 5);
}).listen(0, '127.0.0.1');
await once(upstream, 'listening');
const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`;

const recoveryTimeout = { initial: '400ms', factor: 2, max: '2s' } as const;
const breakers = [
  new CircuitBreaker({ name: 'in a row', failureThreshold: 5, recoveryTimeout }),
  new CircuitBreaker({ name: 'half fail', failureRate: 0.5, window: '1s', recoveryTimeout }),
  new CircuitBreaker({
    name: 'too slow',
    slowCallSeconds: '100ms',
    slowCallRate: 0.8,
    window: 10,
    probes: { successes: 3 },
    recoveryTimeout,
  }),
];
const clients = breakers.map((circuitBreaker) =>
  resilient(
    { name: circuitBreaker.name, circuitBreaker, timeout: '1s', retryOn: isRetryableHttp, retries: 1 },
    read,
  ),
);

async function read(): Promise<string> {
  const response = await fetch(url, { headers: { connection: 'close' } });
  return response.text();
}

const live = process.stdout.isTTY;
for (const breaker of breakers)
  breaker.onTransition(({ from, to, openedBy }) => {
    const why = openedBy === null ? '' : ` (${openedBy})`;
    if (!live) console.log(`${breaker.name}: ${from} -> ${to}${why} while the upstream is ${phase}`);
  });

/** One line for each breaker, in the place of those before. */
function draw(first: boolean): void {
  if (!live) return;
  if (!first) process.stdout.write(`\u001b[${breakers.length + 1}A`);
  const lines = breakers.map((breaker) => {
    const { state, openedBy, failureCount, calls, probeDue, retryAfterSeconds } = breaker.snapshot();
    const counted = calls === null ? `${failureCount} failures` : `${failureCount} of ${calls} calls failed`;
    const wait = probeDue ? 'a probe is due' : `${(retryAfterSeconds ?? 0).toFixed(1)} s left`;
    return `${breaker.name.padEnd(10)} ${state.padEnd(9)} ${state === 'closed' ? counted : `${openedBy}, ${wait}`}`;
  });
  for (const line of [`upstream   ${phase}`, ...lines]) process.stdout.write(`\u001b[2K${line}\n`);
}

draw(true);
for (const [next, ms] of PHASES) {
  phase = next;
  for (let passed = 0; passed < ms; passed += 50) {
    for (const client of clients) client().catch(() => undefined);
    await sleep(50);
    draw(false);
  }
}
console.log(breakers.map(({ name, state }) => `${name}: ${state}`).join(', '));
upstream.close();
upstream.closeAllConnections();
