import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { firstValueFrom, of, type Observable } from 'rxjs';
import { OperationTimeoutError, Resilient } from '../../lib/index.js';
import { after, always, callThrough, fail, hang, succeed } from '../../nest-module/testing/index.js';
import { rejection } from '../operation/support.js';
import { watch } from '../support/watch.js';
import { alone, backoff, DOWN, RECEIPT, underTest } from './support.js';

describe.each([
  ['of the whole application', () => underTest()],
  ['of one class', () => alone()],
])('in a test %s, scripted outcomes', (_of, scene) => {
  it('end the attempts of an operation one after the other, without its method', async () => {
    const { resilience, client, http } = await scene();
    resilience.script('PaymentsClient.charge', fail(DOWN), hang(), succeed(RECEIPT));
    expect(await resilience.settle(client.charge('o-1'))).toBe(RECEIPT);
    expect(http.orders).toEqual([]);
    const report = resilience.lastReport('PaymentsClient.charge');
    // 1 s after the failure, 5 s until the timeout, 2 s after that.
    expect(report.durationSeconds).toBe(8);
    expect(report.attempts.map(({ status, waitedSeconds }) => [status, waitedSeconds])).toEqual([
      ['failed', 1],
      ['timed_out', 2],
      ['succeeded', 0],
    ]);
    resilience.verifyScripts();
    expect(resilience.clock.pendingTimers).toBe(0);
  });

  it('let a circuit breaker open, refuse and recover', async () => {
    const { resilience, client, breakers } = await scene();
    const breaker = breakers.get('payments');
    resilience.script('PaymentsClient.charge', fail(DOWN), fail(DOWN), fail(DOWN), succeed(RECEIPT));
    expect(await resilience.settle(rejection(client.charge('o-1')))).toBe(DOWN);
    expect(breaker.state).toBe('open');
    const refused = await rejection(client.charge('o-2'));
    expect(refused).toMatchObject({ code: 'RELPRIM_CIRCUIT_BREAKER_OPEN', retryAfterSeconds: 30 });
    // A refused attempt calls nothing, so it takes no outcome either.
    expect(resilience.pendingOutcomes()).toEqual(['PaymentsClient.charge: succeed()']);
    await resilience.advance('30s');
    expect(await client.charge('o-3')).toBe(RECEIPT);
    expect(breaker.state).toBe('closed');
    resilience.verifyScripts();
  });
});

describe('a scripted outcome', () => {
  it('fails with the very error, also one that is no Error', async () => {
    const { resilience, client } = await underTest();
    resilience.script('PaymentsClient.check', fail(DOWN), fail(undefined));
    await client.check('o-1');
    expect(resilience.lastReport().attempts[0]?.error).toMatchObject({ type: 'Error', message: 'down' });
    await client.check('o-1');
    expect(resilience.lastReport().attempts[0]?.error?.type).toBe('undefined');
  });

  it('is validated, and a fallback is called as ever', async () => {
    const { resilience, client } = await underTest();
    resilience.script('PaymentsClient.check', succeed({ id: '' }));
    expect(await client.check('o-1')).toEqual({ id: 'later o-1' });
    expect(resilience.events.sequence('PaymentsClient.check')).toContain('validation.failed');
  });

  it('that hangs ends with its attempt, like a client that was handed the signal', async () => {
    const { resilience, client } = await underTest();
    resilience.script('PaymentsClient.charge', always(hang()));
    const failed = rejection(client.charge('o-1'));
    await resilience.advance('4.999s');
    expect([resilience.reports(), resilience.clock.pendingTimers]).toEqual([[], 1]);
    expect(await resilience.settle(failed)).toBeInstanceOf(OperationTimeoutError);
    expect(resilience.clock.pendingTimers).toBe(0);

    const controller = new AbortController();
    const { clock } = resilience;
    const played = hang().play({ clock, signal: controller.signal, callThrough: () => undefined });
    const watched = watch(played as Promise<unknown>);
    controller.abort(DOWN);
    await resilience.advance(0);
    expect(watched).toEqual({ state: 'rejected', outcome: DOWN });
  });

  it('that calls through has the arguments, the instance and the running attempt', async () => {
    const { resilience, client, http } = await underTest();
    resilience.script('PaymentsClient.charge', fail(DOWN), callThrough());
    expect(await resilience.settle(client.charge('o-1'))).toBe(RECEIPT);
    expect(http.orders).toEqual(['o-1']);
    expect(client.signal?.aborted).toBe(false);
  });

  it('always ends like this, and is used when it was used once', async () => {
    const { resilience, client } = await underTest();
    resilience.script('PaymentsClient.charge', fail(DOWN), always(succeed(RECEIPT)));
    expect(resilience.pendingOutcomes()).toEqual([
      'PaymentsClient.charge: fail(Error)',
      'PaymentsClient.charge: always(succeed())',
    ]);
    for (let call = 0; call < 5; call += 1)
      expect(await resilience.settle(client.charge('o-1'))).toBe(RECEIPT);
    expect(resilience.pendingOutcomes()).toEqual([]);
    resilience.verifyScripts();
  });
});

describe('a scripted outcome that comes after some time', () => {
  it.each([
    ['succeeds', succeed(RECEIPT), 'fulfilled', RECEIPT],
    ['fails', fail(DOWN), 'rejected', DOWN],
  ])('%s when that has passed, and not before', async (_what, outcome, state, expected) => {
    const { resilience, client } = await underTest();
    resilience.script('PaymentsClient.jittered', after('200ms', outcome), always(after('1h', hang())));
    const attempts = resilience.events.sequence('PaymentsClient.jittered');
    expect(attempts).toEqual([]);
    const watched = watch(client.jittered('o-1'));
    await resilience.advance('199ms');
    expect(resilience.events.sequence('PaymentsClient.jittered')).toHaveLength(2);
    await resilience.advance('1ms');
    const { eventType } = resilience.events.events()[2] ?? {};
    expect(eventType).toBe(state === 'fulfilled' ? 'attempt.succeeded' : 'attempt.failed');
    expect(watched.outcome).toBe(state === 'fulfilled' ? expected : undefined);
  });

  it('leaves no timer when its attempt is cut before', async () => {
    const { resilience, client } = await underTest();
    resilience.script('PaymentsClient.charge', always(after('10s', succeed(RECEIPT))));
    await resilience.settle(rejection(client.charge('o-1')));
    expect(resilience.lastReport().attempts.map(({ status }) => status)).toEqual(
      Array.from({ length: 3 }, () => 'timed_out'),
    );
    expect(resilience.clock.pendingTimers).toBe(0);
  });

  it('calls the method at once and holds back what it gives, failures too', async () => {
    const { resilience, client, http } = await underTest();
    resilience.script('PaymentsClient.charge', always(after('2s', callThrough())));
    const watched = watch(client.charge('o-1'));
    expect(http.orders).toEqual(['o-1']);
    await resilience.advance('1.999s');
    expect(watched.state).toBe('pending');
    await resilience.advance('1ms');
    expect(watched.outcome).toBe(RECEIPT);
    http.answer = () => {
      throw DOWN;
    };
    await resilience.settle(rejection(client.charge('o-2')));
    expect(resilience.lastReport().durationSeconds).toBe(3 * 2 + 1 + 2);
  });

  it('of zero does not wait', async () => {
    const { resilience, client } = await underTest();
    resilience.script('PaymentsClient.charge', after(0, succeed(RECEIPT)));
    expect(await client.charge('o-1')).toBe(RECEIPT);
  });
});

describe('scripted outcomes of a method that returns Observables', () => {
  @Injectable()
  class Prices {
    subscriptions = 0;

    @Resilient({ retries: 1, backoff, timeout: '5s', returns: 'observable' })
    latest(): Observable<string> {
      this.subscriptions += 1;
      return of('from the source');
    }
  }

  it('are what each subscription gets', async () => {
    const { resilience, app } = await alone(undefined, { providers: [Prices] });
    const prices = app.get(Prices);
    resilience.script('Prices.latest', fail(DOWN), succeed('scripted'), callThrough());
    const latest = prices.latest();
    expect(await resilience.settle(firstValueFrom(latest))).toBe('scripted');
    expect(prices.subscriptions).toBe(0);
    expect(await firstValueFrom(latest)).toBe('from the source');
    resilience.script('Prices.latest', after('3s', callThrough()), hang(), after('6s', callThrough()));
    expect(await resilience.settle(firstValueFrom(latest))).toBe('from the source');
    expect(resilience.lastReport().durationSeconds).toBe(3);
    expect(await resilience.settle(rejection(firstValueFrom(latest)))).toBeInstanceOf(OperationTimeoutError);
    expect(resilience.clock.pendingTimers).toBe(0);
    resilience.verifyScripts();
  });
});
