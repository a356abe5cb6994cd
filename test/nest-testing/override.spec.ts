import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable, Logger, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { InMemoryEventSink, Resilient, type EventSink } from '../../lib/index.js';
import { FakeClock, seededRandom } from '../../lib/testing/index.js';
import { RESILIENCE_CLOCK, ResilienceExecutor, ResilienceModule } from '../../nest-module/index.js';
import { fail, ResilienceTesting, succeed } from '../../nest-module/testing/index.js';
import { rejection } from '../operation/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { AppModule, DOWN, OPTIONS, PaymentsClient, PaymentsHttp, RECEIPT, underTest } from './support.js';

afterEach(() => void jest.restoreAllMocks());

/** The whole waits of a call that fails four times, in seconds. */
async function jitterOf(seed?: number): Promise<readonly number[]> {
  const { resilience, client, http } = await underTest({ seed });
  http.answer = () => Promise.reject(DOWN);
  await resilience.settle(rejection(client.jittered('o-1')));
  return resilience.lastReport().attempts.map(({ waitedSeconds }) => waitedSeconds);
}

describe('an application under test', () => {
  it('lives on the fake clock, and its waits take no real time', async () => {
    const { resilience, client, http, app } = await underTest();
    http.answer = () => Promise.reject(DOWN);
    const realStartMs = performance.now();
    const failed = rejection(client.charge('o-1'));
    await resilience.advance('1s');
    expect(http.orders).toHaveLength(2);
    expect(await resilience.settle(failed)).toBe(DOWN);
    expect(resilience.clock.monotonicMs()).toBe(3_000);
    expect(performance.now() - realStartMs).toBeLessThan(3_000);
    expect(app.get(RESILIENCE_CLOCK)).toBe(resilience.clock);
  });

  it('draws its jitter from the seed, which is 1', async () => {
    const draw = seededRandom(1);
    const expected = [0.1, 0.2, 0.4].map((ceiling) => draw() * ceiling);
    const [first, second, other] = [await jitterOf(), await jitterOf(1), await jitterOf(2)];
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
    first.slice(0, 3).forEach((waited, index) => expect(waited).toBeCloseTo(expected[index] as number, 6));
  });

  it('tells its events and reports, beside the sinks of its own', async () => {
    const own = new InMemoryEventSink();
    const broken: EventSink = {
      emit() {
        throw new Error('broken');
      },
    };
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const options = { ...OPTIONS, eventSinks: [broken, own] };
    const { resilience, client } = await underTest(
      {},
      { imports: [ResilienceModule.forRoot(options)], providers: [PaymentsHttp, PaymentsClient] },
    );
    resilience.script('PaymentsClient.charge', fail(DOWN), succeed(RECEIPT));
    await resilience.settle(client.charge('o-1'));
    await client.check('o-2');
    const charge = [
      'operation.started',
      'attempt.started',
      'attempt.failed',
      'retry.scheduled',
      'attempt.started',
      'attempt.succeeded',
      'operation.succeeded',
    ];
    expect(resilience.events.sequence('PaymentsClient.charge')).toEqual(charge);
    expect(resilience.events.events()).toEqual(own.events());
    expect(resilience.reports().map(({ operationName }) => operationName)).toEqual([
      'PaymentsClient.charge',
      'PaymentsClient.check',
    ]);
    expect(resilience.reports('PaymentsClient.check')).toHaveLength(1);
    expect(resilience.lastReport('PaymentsClient.charge').attemptCount).toBe(2);
    expect(resilience.lastReport()).toBe(resilience.lastReport('PaymentsClient.check'));
  });

  it('tells them before its own sinks, which may stop a call', async () => {
    const broken: EventSink = {
      emit() {
        throw DOWN;
      },
    };
    const options = { ...OPTIONS, sinkErrors: 'propagate', eventSinks: [broken] } as const;
    const { resilience, client } = await underTest(
      {},
      { imports: [ResilienceModule.forRoot(options)], providers: [PaymentsHttp, PaymentsClient] },
    );
    expect(await rejection(client.check('o-1'))).toBe(DOWN);
    expect(resilience.events.sequence()).toEqual(['operation.started']);
  });

  it('may have its settings from a factory', async () => {
    const settings = { circuitBreakers: { payments: { failureThreshold: 1 } } };
    const { resilience, client, breakers } = await underTest(
      {},
      {
        imports: [
          ResilienceModule.forRootAsync({ circuitBreakers: ['payments'], useFactory: async () => settings }),
        ],
        providers: [PaymentsHttp, PaymentsClient],
      },
    );
    resilience.script('PaymentsClient.charge', fail(DOWN));
    await resilience.settle(rejection(client.charge('o-1')));
    expect(breakers.get('payments').state).toBe('open');
    resilience.verifyScripts();
  });

  it('may have other providers overridden, before and after', async () => {
    const http = { post: async () => ({ id: 'fake' }) };
    const resilience = new ResilienceTesting();
    const clock = new FakeClock();
    const app = await resilience
      .override(
        Test.createTestingModule({ imports: [AppModule] })
          .overrideProvider(PaymentsHttp)
          .useValue(http),
      )
      .overrideProvider(RESILIENCE_CLOCK)
      .useValue(clock)
      .compile();
    await app.init();
    expect(await app.get(PaymentsClient).charge('o-1')).toEqual({ id: 'fake' });
    expect(app.get(RESILIENCE_CLOCK)).toBe(clock);
    await app.close();
  });

  it('forgets events, reports and scripts when it is told to, and keeps its time', async () => {
    const { resilience, client, http } = await underTest();
    resilience.script('PaymentsClient.charge', fail(DOWN), succeed(RECEIPT), succeed(RECEIPT));
    await resilience.settle(client.charge('o-1'));
    resilience.clear();
    expect([resilience.reports(), resilience.events.events(), resilience.pendingOutcomes()]).toEqual([
      [],
      [],
      [],
    ]);
    expect(() => resilience.lastReport('PaymentsClient.charge')).toThrow(
      'no call of PaymentsClient.charge has ended yet',
    );
    expect(() => resilience.lastReport()).toThrow('no call has ended yet');
    await client.charge('o-2');
    expect([http.orders, resilience.clock.monotonicMs()]).toEqual([['o-2'], 1_000]);
  });

  it('has nothing left when it is closed while calls wait and hang', async () => {
    const { resilience, client, app } = await underTest();
    resilience.script('PaymentsClient.charge', fail(DOWN));
    const waiting = rejection(client.charge('o-1'));
    await resilience.advance('0.5s');
    await app.close();
    expect(await waiting).toMatchObject({ code: 'RELPRIM_SHUTDOWN' });
    expect(resilience.clock.pendingTimers).toBe(0);
    expect(resilience.lastReport().status).toBe('cancelled');
  });
});

describe('a name that no operation has', () => {
  it('is refused with the nearest one', async () => {
    const { resilience } = await underTest();
    for (const use of [
      () => resilience.script('PaymentClient.charge', succeed()),
      () => resilience.reports('PaymentClient.charge'),
      () => resilience.lastReport('PaymentClient.charge'),
    ])
      expect(mistakeOf(use)).toMatchObject({
        option: 'operationName',
        problem: "'PaymentClient.charge' is not known",
        cure: "did you mean 'PaymentsClient.charge'?",
      });
    expect(mistakeOf(() => resilience.script('nothing like it', succeed())).cure).toBe(
      'operations are named Class.method',
    );
    expect(mistakeOf(() => resilience.script('', succeed()))).toMatchObject({ option: 'operationName' });
  });

  it('stops the start, where it was scripted before', async () => {
    const resilience = new ResilienceTesting();
    resilience.script('PaymentsClient.charge', succeed(RECEIPT));
    resilience.script('PaymentsClient.chrage', succeed(RECEIPT));
    const app = await resilience.override(Test.createTestingModule({ imports: [AppModule] })).compile();
    await expect(app.init()).rejects.toThrow(
      "ResilienceTesting.script(): operationName 'PaymentsClient.chrage' is not known; did you mean 'PaymentsClient.charge'?",
    );
  });

  it('may be that of a class of which there is one for each request', async () => {
    @Injectable({ scope: 2 })
    class PerRequest {
      @Resilient()
      async call(): Promise<string> {
        return 'real';
      }
    }
    @Module({ imports: [AppModule], providers: [PerRequest] })
    class WithRequests {}
    const { resilience, app } = await underTest({}, { imports: [WithRequests] });
    resilience.script('PerRequest.call', succeed('first'), succeed('second'));
    const [one, other] = [await app.resolve(PerRequest), await app.resolve(PerRequest)];
    expect(one).not.toBe(other);
    expect([await one.call(), await other.call()]).toEqual(['first', 'second']);
    expect(app.get(ResilienceExecutor).operationNames()).toContain('PerRequest.call');
    resilience.verifyScripts();
  });
});

describe('what a test asks for is checked', () => {
  it.each([
    [{ seed: 1.5 }, 'seed'],
    [{ seed: NaN }, 'seed'],
    [{ seed: '1' }, 'seed'],
    [{ passThrough: 'PaymentsClient.charge' }, 'passThrough'],
    [{ passThrough: [''] }, 'passThrough[0]'],
    [{ passthrough: true }, 'passthrough'],
    [null, 'options'],
  ])('%j', (options, option) => {
    expect(mistakeOf(() => new ResilienceTesting(options as object))).toMatchObject({
      option,
      path: 'ResilienceTesting',
    });
  });
});
