// Makes a hundred thousand breakers of one kind, uses each once, and says what each of them keeps in memory.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CircuitBreaker, type CircuitBreakerOptions } from '../../../lib/index.js';
import { FakeClock } from '../../../lib/testing/index.js';

const BREAKERS = 100_000;
const RULES: Readonly<Record<string, CircuitBreakerOptions>> = {
  'failures in a row': { failureThreshold: 5 },
  'a window of calls': { failureRate: 0.5, window: 100, slowCallRate: 0.5, slowCallSeconds: 1 },
  'a window of time': { failureRate: 0.5, window: '60s' },
  'a budget': { budget: { limit: 100, per: '60s' } },
  'two rules': { failureThreshold: 5, failureRate: 0.5, window: '60s' },
  keys: { failureRate: 0.5, window: '60s', maxKeys: BREAKERS },
};

const kind = process.argv[2] as string;
const rules = RULES[kind];
const clock = new FakeClock();

async function heldBytes(): Promise<number> {
  // Shapes of objects that have gone outlive some rounds.
  for (let round = 0; round < 8; round += 1) {
    await nextTurn();
    (globalThis as unknown as { gc(): void }).gc();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function use(breaker: CircuitBreaker): CircuitBreaker {
  breaker.spend(1.5);
  breaker.recordFailure(breaker.admit(clock)!);
  return breaker;
}

const parent = new CircuitBreaker({ ...rules, clock });
const breakers: CircuitBreaker[] = Array.from({ length: BREAKERS });
const before = await heldBytes();
for (let one = 0; one < BREAKERS; one += 1)
  breakers[one] = use(
    kind === 'keys' ? parent.keyed(`tenant ${one}`) : new CircuitBreaker({ ...rules, clock }),
  );
const bytes = (await heldBytes()) - before;
console.log(
  JSON.stringify({
    kind,
    bytesEach: Math.round(bytes / BREAKERS),
    used: breakers.filter(({ state }) => state === 'closed').length,
    timers: clock.pendingTimers,
  }),
);
