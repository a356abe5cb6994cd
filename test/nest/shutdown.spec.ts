import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';
import {
  CircuitBreaker,
  reportOf,
  Resilient,
  ResilienceShutdownError,
  resultOf,
  type ExecutionReport,
} from '../../lib/index.js';
import { rejection } from '../operation/support.js';
import { watch } from '../support/watch.js';
import { application, everySeconds, turn } from './shutdown-scene.js';

const DOWN = new Error('down');

@Injectable()
class Client {
  calls = 0;
  standIns = 0;
  readonly reports: ExecutionReport[] = [];

  @Resilient({
    retries: 5,
    backoff: everySeconds(60),
    fallback: 'standIn',
    onReport(this: Client, report) {
      this.reports.push(report);
    },
  })
  async charge(): Promise<string> {
    this.calls += 1;
    throw DOWN;
  }

  async standIn(): Promise<string> {
    this.standIns += 1;
    return 'queued';
  }

  @Resilient({ retries: 1, backoff: everySeconds(60), throws: 'execution-error' })
  async told(): Promise<string> {
    throw DOWN;
  }

  @Resilient({ retries: 1, rateLimitOn: () => true, retryAfter: () => 30, maxRateLimitWait: '1m' })
  async limited(): Promise<string> {
    throw DOWN;
  }

  @Resilient({ retries: 1, backoff: everySeconds(60), returns: 'observable' })
  observed(): Observable<string> {
    return throwError(() => DOWN);
  }

  @Resilient({ retries: 1, backoff: everySeconds(60), deadline: '10m' })
  async limitedInTime(): Promise<string> {
    throw DOWN;
  }

  @Resilient({ retries: 1, backoff: everySeconds(60), deadline: '60s' })
  async outOfTime(): Promise<string> {
    throw DOWN;
  }
}

/** An application with one call that waits. */
async function waiting(call: (client: Client) => Promise<unknown>) {
  const scene = await application(Client);
  const watched = watch(call(scene.client));
  await scene.clock.advance('10s');
  expect(watched.state).toBe('pending');
  return { ...scene, watched };
}

describe('a call that waits for its next attempt when its application closes', () => {
  // D8
  it('ends at once, as if its caller had gone away, with the failure that it waited after as cause', async () => {
    const { app, client, clock, watched } = await waiting((client) => client.charge());
    const closed = app.close();
    await turn();
    expect(watched.state).toBe('rejected');
    await closed;
    expect(watched.outcome).toBeInstanceOf(ResilienceShutdownError);
    expect(watched.outcome).toMatchObject({
      name: 'ResilienceShutdownError',
      code: 'RELPRIM_SHUTDOWN',
      operationName: 'Client.charge',
      message: 'Client.charge waited for its next attempt when the application stopped',
    });
    expect((watched.outcome as Error).cause).toBe(DOWN);
    expect([client.calls, client.standIns, clock.pendingTimers, clock.monotonicMs()]).toEqual([
      1, 0, 0, 10_000,
    ]);
  });

  it('is reported to its listener and to the observers, and no more events are told of it', async () => {
    const { app, client, reports, sink, watched } = await waiting((client) => client.charge());
    await app.close();
    expect(reports).toHaveLength(1);
    expect(client.reports).toEqual(reports);
    expect(reportOf(watched.outcome)).toBe(reports[0]);
    const { status, durationSeconds, attempts, metadata } = reports[0] as ExecutionReport;
    expect([status, durationSeconds]).toEqual(['cancelled', 10]);
    expect(attempts.map((attempt) => [attempt.status, attempt.waitedSeconds])).toEqual([['failed', 10]]);
    expect(metadata).not.toHaveProperty('shutting_down');
    expect(sink.sequence()).toEqual([
      'operation.started',
      'attempt.started',
      'attempt.failed',
      'retry.scheduled',
    ]);
  });

  it.each([
    ['as a result', (client: Client) => resultOf(client.charge())],
    ['with an execution error', (client: Client) => client.told()],
    ['after a rate limit', (client: Client) => client.limited()],
    ['within a deadline', (client: Client) => client.limitedInTime()],
    [
      'as an Observable',
      (client: Client) => new Promise((_, reject) => client.observed().subscribe({ error: reject })),
    ],
  ])('ends the same way when it was asked for %s', async (_how, call) => {
    const { app, clock, reports, watched } = await waiting(call);
    await app.close();
    expect(watched.outcome).toMatchObject({ code: 'RELPRIM_SHUTDOWN', cause: DOWN });
    expect(reports.map(({ status }) => status)).toEqual(['cancelled']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not begin a wait that its deadline leaves no room for, closing or not', async () => {
    const { app, client, reports } = await application(Client);
    await app.close();
    expect(await rejection(client.outOfTime())).toBe(DOWN);
    expect(reports[0]?.metadata).toMatchObject({ deadline_exhausted: true });
    expect(reports[0]?.metadata).not.toHaveProperty('shutting_down');
  });

  it('ends when many do, each with its own error and its own report', async () => {
    const { app, client, clock, reports } = await application(Client, { eventSinks: [] });
    const calls = Array.from({ length: 1_000 }, () => rejection(client.charge()));
    await clock.advance('10s');
    expect(clock.pendingTimers).toBe(1_000);
    await app.close();
    const errors = await Promise.all(calls);
    expect(new Set(errors).size).toBe(1_000);
    expect(errors.every((error) => error instanceof ResilienceShutdownError)).toBe(true);
    expect(reports).toHaveLength(1_000);
    expect([client.calls, client.standIns, clock.pendingTimers]).toEqual([1_000, 0, 0]);
  });

  it('is left alone by the close of another application', async () => {
    const own = await waiting((client) => client.charge());
    const other = await waiting((client) => client.charge());
    await other.app.close();
    expect([other.watched.state, own.watched.state]).toEqual(['rejected', 'pending']);
    await own.clock.advance('10m');
    expect(own.watched.outcome).toBe('queued');
    expect([own.client.calls, own.client.standIns]).toEqual([6, 1]);
  });

  it('does not hold up a hook that waits for it before the application closes', async () => {
    @Injectable()
    class Worker {
      job: Promise<unknown> | undefined;
      outcome: unknown;

      async beforeApplicationShutdown(): Promise<void> {
        this.outcome = await this.job;
      }
    }
    const { app, client } = await application(Client, {}, { providers: [Worker] });
    const worker = app.get(Worker);
    worker.job = rejection(client.charge());
    await turn();
    await app.close();
    expect(worker.outcome).toBeInstanceOf(ResilienceShutdownError);
  });
});

describe('inside another operation, a call that waits when the application closes', () => {
  @Injectable()
  class Orders {
    readonly breaker = new CircuitBreaker({ name: 'orders', failureThreshold: 1 });
    calls = 0;

    constructor(readonly client: Client) {}

    @Resilient({
      retries: 3,
      circuitBreaker(this: Orders) {
        return this.breaker;
      },
      fallback: async () => 'later',
    })
    async place(): Promise<string> {
      this.calls += 1;
      return this.client.told();
    }

    @Resilient({ retries: 1, backoff: everySeconds(60) })
    async placeTwice(): Promise<string> {
      this.calls += 1;
      return this.client.outOfTime();
    }
  }

  it('fails the attempt around it, which is no failure of what is called and is not repeated', async () => {
    const { app, clock, client: orders, reports } = await application(Orders, {}, { providers: [Client] });
    const placed = orders.place();
    await clock.advance('1s');
    await app.close();
    expect(await placed).toBe('later');
    expect([orders.calls, orders.breaker.state, orders.breaker.snapshot().failureCount]).toEqual([
      1,
      'closed',
      0,
    ]);
    const [inner, outer] = reports as [ExecutionReport, ExecutionReport];
    expect([inner.operationName, inner.status]).toEqual(['Client.told', 'cancelled']);
    expect([outer.operationName, outer.status]).toEqual(['Orders.place', 'succeeded']);
    expect(outer.metadata).toMatchObject({ shutting_down: true });
    expect(outer.attempts[0]?.error?.type).toBe('ResilienceShutdownError');
    expect(outer.causedBy).toEqual([inner]);
  });

  it('has ended long ago when the call around it waits, and only that ends', async () => {
    const { app, clock, client: orders, reports } = await application(Orders, {}, { providers: [Client] });
    const placed = rejection(orders.placeTwice());
    await clock.advance('1s');
    await app.close();
    expect(await placed).toMatchObject({ operationName: 'Orders.placeTwice', cause: DOWN });
    expect(reports.map(({ operationName, status }) => `${operationName} ${status}`)).toEqual([
      'Client.outOfTime failed',
      'Orders.placeTwice cancelled',
    ]);
    expect(clock.pendingTimers).toBe(0);
  });
});
