// Uses everything that keeps something, closes its application, and has nothing left to do: the process must end.
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  CircuitBreakerRegistry,
  ConcurrencyLimit,
  currentAttempt,
  InMemoryCache,
  InMemoryEventSink,
  InMemoryIdempotencyStore,
  Resilient,
  resilient,
  Shield,
  Shielded,
  ShieldRegistry,
} from '../../../lib/index.js';
import { ResilienceModule, ResilienceState } from '../../../nest-module/index.js';
import { hang } from '../shapes/shape.js';

class TooSlow extends Error {}

const { signal } = new AbortController();
const fail = async (): Promise<never> => Promise.reject(new TooSlow('slow'));
const given = { timeoutErrors: TooSlow, random: () => 0, env: false } as const;

const breakers = new CircuitBreakerRegistry();
const shields = new ShieldRegistry();
const idempotencyStore = new InMemoryIdempotencyStore();
const limit = new ConcurrencyLimit({ maxConcurrent: 1, queue: { size: 10, maxWait: '1h' } });

async function standAlone(): Promise<unknown> {
  const failing = breakers.create({ name: 'failing', failureThreshold: 2, recoveryTimeout: '1h' });
  breakers.create({ name: 'forced' }).forceOpen('a test');
  const keyed = breakers.create({ name: 'keyed', failureThreshold: 1, recoveryTimeout: '1h' });
  const shield = shields.register(Shield.api('slow', { ...given, cache: new InMemoryCache() }));

  const options = {
    retries: 5,
    backoff: { delayForRetry: () => 0 },
    timeout: '1h',
    deadline: '2h',
    signal,
  } as const;
  for (const circuitBreaker of [failing, keyed.keyed('tenant')])
    await resilient({ ...options, circuitBreaker }, fail)().catch(() => undefined);
  await shield.run(fail).catch(() => undefined);

  const run = resilient({ timeout: '20ms', deadline: '1h', signal }, hang);
  await run().catch(() => undefined);
  const idempotencyKey = (key: string): string => key;
  await resilient(
    { name: 'keyed', idempotencyKey, idempotencyStore, idempotencyTtl: '1h' },
    async (key: string) => key,
  )('order');

  // Goes on for ever, and nobody waits for it.
  void resilient({ signal }, hang)();
  const inside = new AbortController();
  void limit.runWith({ signal: inside.signal }, hang).catch(() => undefined);
  const waiting = limit.runWith({ signal: inside.signal }, hang).catch(() => undefined);
  inside.abort();
  await waiting;
  return {
    breakers: [failing.state, breakers.get('forced').state, keyed.keyed('tenant').state],
    engaged: shield.snapshot().engaged,
    kept: idempotencyStore.entryCount(),
  };
}

@Injectable()
class Client {
  @Resilient({ circuitBreaker: 'payments', timeout: '1h', deadline: '2h', signal: () => signal })
  async charge(): Promise<void> {
    currentAttempt().signal.addEventListener('abort', () => undefined);
    return fail();
  }

  @Shielded('search')
  async search(): Promise<void> {
    return fail();
  }

  @Resilient({ retries: 1, retryOn: [TooSlow], backoff: { delayForRetry: () => 3_600 }, deadline: '3h' })
  async waits(): Promise<void> {
    return fail();
  }

  @Resilient({ signal: () => signal })
  async hangs(): Promise<void> {
    return hang();
  }
}

@Module({
  imports: [
    ResilienceModule.forRoot({
      circuitBreakers: [{ name: 'payments', failureThreshold: 1, recoveryTimeout: '1h' }],
      shields: [{ name: 'search', profile: 'api', timeoutErrors: TooSlow }],
      concurrencyLimits: [{ name: 'db', maxConcurrent: 5 }],
      eventSinks: [InMemoryEventSink],
    }),
  ],
  providers: [Client],
})
class AppModule {}

async function inNest(): Promise<unknown> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
  const client = app.get(Client);
  await client.charge().catch(() => undefined);
  const searching = client.search().catch((error: Error) => error.name);
  const waiting = client.waits().catch((error: Error) => error.name);
  void client.hangs();
  await new Promise(setImmediate);
  const state = app.get(ResilienceState);
  const before = { breaker: state.circuitBreakers()[0]?.state, engaged: state.shields()[0]?.engaged };
  await app.close();
  return { ...before, waits: [await searching, await waiting] };
}

console.log(JSON.stringify({ standAlone: await standAlone(), nest: await inNest() }));
const endMs = performance.now();
process.on('exit', (code) =>
  console.log(JSON.stringify({ code, inTime: performance.now() - endMs < 2_000 })),
);
