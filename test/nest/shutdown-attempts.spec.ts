import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { currentAttempt, OperationTimeoutError, Resilient, type EventSink } from '../../lib/index.js';
import { rejection } from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { watch } from '../support/watch.js';
import { application, everySeconds, turn } from './shutdown-scene.js';

const RETRIED = { retries: 3, backoff: everySeconds(60) };

@Injectable()
class Client {
  calls = 0;
  answers = deferred<string>();
  aborted = false;

  private answer(): Promise<string> {
    this.calls += 1;
    return this.answers.promise;
  }

  @Resilient({ ...RETRIED, timeout: '5s' })
  async charge(): Promise<string> {
    return this.answer();
  }

  @Resilient({ ...RETRIED, timeout: '5s', fallback: async () => 'queued' })
  async chargeOrQueue(): Promise<string> {
    currentAttempt().signal.addEventListener('abort', () => (this.aborted = true));
    return this.answer();
  }

  @Resilient({ ...RETRIED, circuitBreaker: 'payments' })
  async guarded(): Promise<string> {
    return this.answer();
  }

  @Resilient({ retries: 3, backoff: everySeconds(0) })
  async atOnce(): Promise<string> {
    return this.answer();
  }

  @Resilient()
  async once(): Promise<string> {
    return this.answer();
  }
}

const DOWN = new Error('down');

describe('a call that is in an attempt when its application closes', () => {
  it('goes on, and gives its value', async () => {
    const { app, client, clock, reports } = await application(Client);
    const watched = watch(client.charge());
    await app.close();
    expect(watched.state).toBe('pending');
    client.answers.resolve('receipt');
    await turn();
    expect(watched.outcome).toBe('receipt');
    expect(reports[0]?.toJSON()).toMatchObject({ status: 'succeeded', attempt_count: 1 });
    expect(reports[0]?.metadata).not.toHaveProperty('shutting_down');
    expect([client.calls, clock.pendingTimers]).toEqual([1, 0]);
  });

  it('fails with its own failure, as nothing is tried again', async () => {
    const { app, client, clock, reports, sink } = await application(Client);
    const failed = rejection(client.charge());
    await app.close();
    client.answers.reject(DOWN);
    expect(await failed).toBe(DOWN);
    expect([client.calls, clock.pendingTimers, clock.monotonicMs()]).toEqual([1, 0, 0]);
    expect(reports.map(({ status, metadata }) => [status, metadata.shutting_down])).toEqual([
      ['failed', true],
    ]);
    expect(sink.sequence()).toEqual([
      'operation.started',
      'attempt.started',
      'attempt.failed',
      'operation.failed',
    ]);
  });

  it('has until its timeout, and its fallback answers', async () => {
    const { app, client, clock, reports } = await application(Client);
    const watched = watch(client.chargeOrQueue());
    await clock.advance('2s');
    await app.close();
    await clock.advance('2.999s');
    expect([watched.state, client.aborted]).toEqual(['pending', false]);
    await clock.advance('1ms');
    expect([watched.outcome, client.aborted, client.calls]).toEqual(['queued', true, 1]);
    expect(reports[0]?.toJSON()).toMatchObject({
      status: 'succeeded',
      duration_seconds: 5,
      attempt_count: 2,
      metadata: { shutting_down: true, fallback_used: true },
    });
    expect(clock.pendingTimers).toBe(0);
  });

  it('times out without a fallback, and its report says of both', async () => {
    const { app, client, clock, reports } = await application(Client);
    const failed = rejection(client.charge());
    await app.close();
    expect(await clock.settle(failed)).toBeInstanceOf(OperationTimeoutError);
    expect([reports[0]?.status, reports[0]?.metadata.shutting_down]).toEqual(['timed_out', true]);
    expect([clock.monotonicMs(), clock.pendingTimers]).toEqual([5_000, 0]);
  });

  it('goes on in a later attempt, too, as its wait before that is over', async () => {
    const { app, client, clock } = await application(Client);
    client.answers.reject(DOWN);
    const watched = watch(client.charge());
    await clock.advance('59s');
    client.answers = deferred();
    await clock.advance('1s');
    expect([client.calls, watched.state]).toEqual([2, 'pending']);
    await app.close();
    expect(watched.state).toBe('pending');
    client.answers.resolve('receipt');
    await turn();
    expect([watched.outcome, client.calls]).toEqual(['receipt', 2]);
  });

  it('says nothing of the shutdown where there would have been no further attempt anyway', async () => {
    const { app, client, reports } = await application(Client);
    const failed = rejection(client.once());
    await app.close();
    client.answers.reject(DOWN);
    expect(await failed).toBe(DOWN);
    expect(reports[0]?.metadata).not.toHaveProperty('shutting_down');
  });

  it.each([
    ['closes the circuit breaker', 'closed', 'receipt'],
    ['opens it again', 'open', DOWN],
  ])('as a probe %s', async (_what, state, outcome) => {
    const { app, client, clock, breakers } = await application(Client);
    client.answers.reject(DOWN);
    await clock.settle(rejection(client.guarded()));
    client.answers = deferred();
    const breaker = breakers.get('payments');
    await clock.advance('30s');
    const watched = watch(client.guarded());
    expect(breaker.snapshot().halfOpenProbeInFlight).toBe(true);
    await app.close();
    expect(breaker.snapshot().halfOpenProbeInFlight).toBe(true);
    if (outcome instanceof Error) client.answers.reject(outcome);
    else client.answers.resolve(outcome);
    await turn();
    expect([watched.outcome, breaker.state, breaker.snapshot().halfOpenProbeInFlight]).toEqual([
      outcome,
      state,
      false,
    ]);
  });
});

describe('a call that is about to wait', () => {
  /** An application whose sink takes its time over the wait that comes. */
  async function told(call: (client: Client) => Promise<string>) {
    const gate = deferred();
    const slow: EventSink = {
      emit: ({ eventType }) => (eventType === 'retry.scheduled' ? gate.promise : undefined),
    };
    const scene = await application(Client, { eventSinks: [slow], sinkErrors: 'propagate' });
    scene.client.answers.reject(DOWN);
    const failed = rejection(call(scene.client));
    await turn();
    const closed = scene.app.close();
    await turn();
    gate.resolve();
    await closed;
    return { ...scene, error: await failed };
  }

  it('when the application closes does not wait', async () => {
    const { client, clock, error, reports } = await told((client) => client.charge());
    expect(error).toMatchObject({ code: 'RELPRIM_SHUTDOWN' });
    expect(error.cause).toBe(DOWN);
    expect(reports.map(({ status }) => status)).toEqual(['cancelled']);
    expect([client.calls, clock.pendingTimers, clock.monotonicMs()]).toEqual([1, 0, 0]);
  });

  it('for no time is not tried again either', async () => {
    const { client, error, reports } = await told((client) => client.atOnce());
    expect(error).toBe(DOWN);
    expect(reports.map(({ status, metadata }) => [status, metadata.shutting_down])).toEqual([
      ['failed', true],
    ]);
    expect(client.calls).toBe(1);
  });
});

describe('a method of an application that has closed', () => {
  it('runs with its policies, once', async () => {
    const { app, client, clock, reports } = await application(Client);
    await app.close();
    const watched = watch(client.chargeOrQueue());
    await clock.advance('5s');
    expect(watched.outcome).toBe('queued');
    client.answers.reject(DOWN);
    expect(await rejection(client.atOnce())).toBe(DOWN);
    expect([client.calls, clock.pendingTimers]).toEqual([2, 0]);
    expect(reports.map(({ metadata }) => metadata.shutting_down)).toEqual([true, true]);
  });

  it('is still refused by an open circuit breaker', async () => {
    const { app, client, clock } = await application(Client);
    client.answers.reject(DOWN);
    await clock.settle(rejection(client.guarded()));
    const { calls } = client;
    await app.close();
    expect(await rejection(client.guarded())).toMatchObject({ code: 'RELPRIM_CIRCUIT_BREAKER_OPEN' });
    expect(client.calls).toBe(calls);
  });

  it('is the same when the application is closed twice', async () => {
    const { app, client } = await application(Client);
    await Promise.all([app.close(), app.close()]);
    await app.close();
    client.answers.reject(DOWN);
    expect(await rejection(client.atOnce())).toBe(DOWN);
    expect(client.calls).toBe(1);
  });
});
