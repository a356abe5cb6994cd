import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { firstValueFrom, of, toArray, type Observable } from 'rxjs';
import {
  CircuitBreaker,
  currentAttempt,
  Resilient,
  resultOf,
  type ExecutionReport,
} from '../../lib/index.js';
import { ResilienceExecutor } from '../../nest-module/index.js';
import { fail, hang } from '../../nest-module/testing/index.js';
import { rejection } from '../operation/support.js';
import { watch } from '../support/watch.js';
import { alone, DOWN, RECEIPT, underTest } from './support.js';

const breaker = new CircuitBreaker({ name: 'own', failureThreshold: 1 });

/** Everything that a decorator can say. Nothing of what it names exists. */
@Injectable()
class Decorated {
  calls = 0;
  readonly told: ExecutionReport[] = [];

  @Resilient({
    use: 'nobody has it',
    retries: 5,
    timeout: '1s',
    deadline: '2s',
    validate: () => false,
    signal: () => AbortSignal.abort(DOWN),
    fallback: async () => 'stand-in',
    circuitBreaker: 'nobody registered it',
    throws: 'execution-error',
    onReport(this: Decorated, report) {
      this.told.push(report);
    },
  })
  async call(work: () => unknown): Promise<unknown> {
    this.calls += 1;
    currentAttempt();
    return work();
  }

  @Resilient({ circuitBreaker: breaker })
  async guarded(): Promise<never> {
    this.calls += 1;
    throw DOWN;
  }

  @Resilient({ returns: 'observable', retries: 3 })
  observed(): Observable<string> {
    return of('value');
  }
}

const passThrough = { passThrough: true };

describe('in pass-through mode a decorated method', () => {
  it('runs as if it were not decorated: no policy, no limit, no second try', async () => {
    const { app, resilience } = await alone({ ...passThrough }, { providers: [Decorated] });
    const decorated = app.get(Decorated);
    expect(await decorated.call(() => RECEIPT)).toBe(RECEIPT);
    expect(await rejection(decorated.call(() => Promise.reject(DOWN)))).toBe(DOWN);
    const hanging = watch(decorated.call(() => new Promise(() => undefined)));
    await resilience.advance('1h');
    expect([hanging.state, resilience.clock.pendingTimers, resilience.clock.monotonicMs()]).toEqual([
      'pending',
      0,
      3_600_000,
    ]);
    expect(decorated.calls).toBe(3);
    await rejection(decorated.guarded());
    await rejection(decorated.guarded());
    expect([decorated.calls, breaker.state]).toEqual([5, 'closed']);
  });

  it('still returns an Observable, where it did', async () => {
    const { app } = await alone({ ...passThrough }, { providers: [Decorated] });
    expect(await firstValueFrom(app.get(Decorated).observed().pipe(toArray()))).toEqual(['value']);
  });

  it('still has reports, events and results', async () => {
    const { app, resilience } = await alone({ ...passThrough }, { providers: [Decorated] });
    const decorated = app.get(Decorated);
    const { value, report } = await resultOf(decorated.call(() => 'value'));
    expect([value, report.attemptCount]).toEqual(['value', 1]);
    await rejection(decorated.call(() => Promise.reject(DOWN)));
    expect(resilience.reports('Decorated.call').map(({ status }) => status)).toEqual(['succeeded', 'failed']);
    expect(decorated.told).toEqual(resilience.reports('Decorated.call'));
    expect(resilience.events.sequence('Decorated.call')).toEqual([
      'operation.started',
      'attempt.started',
      'attempt.succeeded',
      'operation.succeeded',
      'operation.started',
      'attempt.started',
      'attempt.failed',
      'operation.failed',
    ]);
  });

  it('is described as what it is', async () => {
    const { app } = await alone({ ...passThrough, defaults: { retries: 2 } }, { providers: [Decorated] });
    const executor = app.get(ResilienceExecutor);
    expect(executor.descriptionOf('Decorated.guarded')).toMatchObject({
      summary: 'Decorated.guarded: method',
      options: [],
    });
  });

  it('leaves out what the application lays over and under it, too', async () => {
    const { client, resilience } = await alone({
      ...passThrough,
      defaults: { retries: 4, deadline: '1s' },
      operations: { 'PaymentsClient.charge': { retries: 9 } },
    });
    resilience.script('PaymentsClient.charge', fail(DOWN));
    expect(await rejection(client.charge('o-1'))).toBe(DOWN);
    resilience.verifyScripts();
  });

  it('keeps the listeners that all methods of the application have', async () => {
    const told: ExecutionReport[] = [];
    const { client, resilience } = await alone({
      ...passThrough,
      defaults: { onReport: (report) => told.push(report) },
    });
    await client.charge('o-1');
    expect(told).toEqual(resilience.reports());
  });
});

describe('passing through', () => {
  it('is for a whole application, too', async () => {
    const { client, http, breakers, resilience } = await underTest(passThrough);
    const payments = breakers.get('payments');
    http.answer = () => Promise.reject(DOWN);
    for (let call = 0; call < 4; call += 1) expect(await rejection(client.charge('o-1'))).toBe(DOWN);
    expect([http.orders.length, payments.state, resilience.clock.monotonicMs()]).toEqual([4, 'closed', 0]);
  });

  it('can be for named operations only', async () => {
    const { client, resilience } = await underTest({ passThrough: ['PaymentsClient.check'] });
    resilience.script('PaymentsClient.check', fail(DOWN));
    resilience.script('PaymentsClient.charge', fail(DOWN), hang(), fail(DOWN));
    expect(await rejection(client.check('o-1'))).toBe(DOWN);
    await resilience.settle(rejection(client.charge('o-1')));
    expect(resilience.lastReport('PaymentsClient.charge').attemptCount).toBe(3);
  });

  it('of an operation that there is not stops the start', async () => {
    await expect(underTest({ passThrough: ['PaymentsClient.chek'] })).rejects.toThrow(
      "ResilienceTesting.passThrough: operationName 'PaymentsClient.chek' is not known; did you mean 'PaymentsClient.check'?",
    );
  });
});
