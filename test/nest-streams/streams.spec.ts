import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { filter, firstValueFrom, take, toArray } from 'rxjs';
import {
  CircuitBreakerRegistry,
  InMemoryEventSink,
  InMemoryIdempotencyStore,
  Resilient,
  type AnyEvent,
  type ExecutionReport,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { ResilienceExecutor, type ResilienceModuleOptions } from '../../nest-module/index.js';
import { NestHost } from '../../nest-module/nest-host.js';
import { onClock } from '../nest-state/support.js';
import { start } from '../nest/support.js';

@Injectable()
class Client {
  fails = 0;

  @Resilient({ retries: 1, backoff: { delayForRetry: () => 0 }, circuitBreaker: 'payments' })
  async charge(order = 'A-1'): Promise<string> {
    if ((this.fails -= 1) >= 0) throw new RangeError('down');
    return order;
  }

  @Resilient({ idempotencyKey: (key: string) => key, idempotencyStore: new InMemoryIdempotencyStore() })
  async keyed(key: string): Promise<string> {
    return key;
  }
}

async function scene(options: ResilienceModuleOptions = {}) {
  const clock = new FakeClock();
  const app: TestingModule = await start(
    { providers: [Client] },
    {
      circuitBreakers: [{ name: 'payments', failureThreshold: 100 }],
      silenceWarnings: ['retries-without-retry-on'],
      ...options,
    },
    onClock(clock),
  );
  const executor = app.get(ResilienceExecutor);
  return { app, clock, executor, client: app.get(Client), host: app.get(NestHost) };
}

const types = (events: readonly AnyEvent[]) => events.map(({ eventType }) => eventType);

describe('executor.reports$', () => {
  it('gives the report of every call that ends while somebody is subscribed', async () => {
    const { executor, client } = await scene();
    await client.charge('before');
    const [one, other]: ExecutionReport[][] = [[], []];
    const first = executor.reports$.subscribe((report) => one?.push(report));
    client.fails = 1;
    await client.charge();
    await turn();
    executor.reports$.subscribe((report) => other?.push(report));
    await client.charge();
    await turn();
    first.unsubscribe();
    await client.charge();
    await turn();
    expect(one?.map(({ attemptCount }) => attemptCount)).toEqual([2, 1]);
    expect(other?.map(({ attemptCount }) => attemptCount)).toEqual([1, 1]);
    expect(other?.[0]).toBe(one?.[1]);
  });

  it('costs nothing while nobody is subscribed', async () => {
    const { executor, client, host } = await scene();
    expect(host.observers).toHaveLength(0);
    const [one, other] = [executor.reports$.subscribe(), executor.reports$.subscribe()];
    expect(host.observers).toHaveLength(1);
    one.unsubscribe();
    expect(host.observers).toHaveLength(1);
    other.unsubscribe();
    expect(host.observers).toHaveLength(0);
    await client.charge();
  });

  it('can be filtered and awaited as any Observable', async () => {
    const { executor, client } = await scene();
    const retried = firstValueFrom(executor.reports$.pipe(filter((report) => report.retried)));
    await client.charge();
    client.fails = 1;
    await client.charge();
    expect((await retried).explain()).toContain('Client.charge succeeded after 0 s, 2 attempts');
  });
});

describe('executor.events$', () => {
  it.each([
    ['without sinks', []],
    ['beside sinks', [new InMemoryEventSink()]],
  ])('gives the events of the calls that begin while somebody is subscribed, %s', async (_, eventSinks) => {
    const { executor, client } = await scene({ eventSinks });
    const told: AnyEvent[] = [];
    await client.charge();
    const subscription = executor.events$.subscribe((event) => told.push(event));
    client.fails = 1;
    await client.charge();
    await turn();
    subscription.unsubscribe();
    await client.charge();
    await turn();
    expect(types(told)).toEqual([
      'operation.started',
      'attempt.started',
      'attempt.failed',
      'retry.scheduled',
      'attempt.started',
      'attempt.succeeded',
      'operation.succeeded',
    ]);
    expect(new Set(told.map(({ callId }) => callId)).size).toBe(1);
    const [sink] = eventSinks;
    if (sink !== undefined) expect(sink.sequence()).toHaveLength(4 + 7 + 4);
  });

  it('gives those of calls with a key, too, once for each execution', async () => {
    const { executor, client } = await scene();
    const told = firstValueFrom(executor.events$.pipe(take(4), toArray()));
    await Promise.all([client.keyed('a'), client.keyed('a')]);
    expect(types(await told)).toContain('operation.succeeded');
  });

  it('gives what operators do to circuit breakers', async () => {
    const { app, executor } = await scene();
    const told = firstValueFrom(executor.events$);
    app.get(CircuitBreakerRegistry).get('payments').forceOpen('maintenance');
    const { eventType, operationName, payload } = await told;
    expect([eventType, operationName]).toEqual(['circuit_breaker.opened', 'circuit_breaker:payments']);
    expect(payload).toMatchObject({ reason: 'maintenance', forced: true });
  });

  it('leaves plans as they were made while nobody is subscribed', async () => {
    const { host, executor, client } = await scene();
    let keys = 0;
    const told = async () => {
      const event = jest.spyOn(host.streams.events, 'push');
      await client.charge();
      await client.keyed(`${(keys += 1)}`);
      const { length } = event.mock.calls;
      event.mockRestore();
      return length;
    };
    expect(await told()).toBe(0);
    const subscription = executor.events$.subscribe();
    expect(await told()).toBe(8);
    subscription.unsubscribe();
    expect(await told()).toBe(0);
    expect(host.streams.tap.emitter).toBeUndefined();
  });
});

describe('a subscriber of a stream', () => {
  it('is told after the call, which does not wait for it', async () => {
    const { executor, client } = await scene();
    const order: string[] = [];
    executor.reports$.subscribe(() => void order.push('told'));
    await client.charge();
    order.push('ended');
    await turn();
    expect(order).toEqual(['ended', 'told']);
  });

  it('that is too slow misses the oldest of what waits, which is counted and said once', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const { executor, client } = await scene();
    const [slow, late]: string[][] = [[], []];
    executor.reports$.subscribe(({ callId }) => void slow?.push(callId));
    const ended: string[] = [];
    executor.observe(({ callId }) => ended.push(callId));
    // None of these lets the event loop turn.
    for (let call = 0; call < 1_200; call += 1) await client.charge();
    expect([slow?.length, executor.dropped]).toEqual([0, 200]);
    executor.reports$.subscribe(({ callId }) => void late?.push(callId));
    await turn();
    expect(slow).toEqual(ended.slice(200));
    expect(late).toEqual([]);
    expect(warn.mock.calls).toEqual([['a subscriber of reports$ is too slow: 1 dropped so far']]);
    await client.charge();
    await turn();
    expect([slow?.length, late?.length, executor.dropped]).toEqual([1_001, 1, 200]);
  });

  it('that takes long for each does not keep the event loop from others', async () => {
    const clock = new FakeClock();
    const app = await start(
      { providers: [Client] },
      { circuitBreakers: [{ name: 'payments' }] },
      onClock(clock),
    );
    const executor = app.get(ResilienceExecutor);
    let now = 0;
    jest.spyOn(clock, 'monotonicMs').mockImplementation(() => now);
    const told: number[] = [];
    executor.reports$.subscribe(() => void told.push((now += 3)));
    for (let call = 0; call < 5; call += 1) await app.get(Client).charge();
    await turn();
    expect(told).toHaveLength(2); // of five milliseconds
    await turn();
    expect(told).toHaveLength(4);
    await turn();
    expect(told).toHaveLength(5);
  });

  it('holds nothing once it is gone, also in the middle of what waits for it', async () => {
    const { executor, client, host } = await scene();
    const told: string[] = [];
    const subscription = executor.reports$.subscribe(({ callId }) => {
      told.push(callId);
      subscription.unsubscribe();
    });
    for (let call = 0; call < 3; call += 1) await client.charge();
    await turn();
    expect(told).toHaveLength(1);
    expect(host.observers).toHaveLength(0);
    await turn();
    expect(told).toHaveLength(1);
  });

  it('is told in the async context in which it has subscribed, not in that of a call', async () => {
    const { executor, client } = await scene();
    const context = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    context.run('subscriber', () => executor.reports$.subscribe(() => void seen.push(context.getStore())));
    await context.run('request 1', () => client.charge());
    await context.run('request 2', () => client.charge());
    await turn();
    expect(seen).toEqual(['subscriber', 'subscriber']);
  });

  it('gets the rest and the end when the application has stopped, and a later one the end at once', async () => {
    const { app, executor, client, host } = await scene();
    const seen: string[] = [];
    const note = (name: string) => ({
      next: () => void seen.push(name),
      complete: () => void seen.push(`end of ${name}`),
    });
    executor.reports$.subscribe(note('reports$'));
    executor.events$.subscribe(note('events$'));
    await client.charge();
    await app.close();
    expect(seen.filter((name) => name === 'events$')).toHaveLength(4);
    expect(seen.filter((name) => name === 'reports$')).toHaveLength(1);
    expect(seen.filter((name) => name.startsWith('end')).sort()).toEqual([
      'end of events$',
      'end of reports$',
    ]);
    expect([host.observers.length, host.streams.tap.emitter]).toEqual([0, undefined]);
    executor.reports$.subscribe(note('later'));
    expect(seen.at(-1)).toBe('end of later');
    await client.charge();
  });
});
