import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module, Scope } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  CircuitBreaker,
  InMemoryEventSink,
  Resilient,
  type AnyEvent,
  type EventSink,
} from '../../lib/index.js';
import {
  getCircuitBreakerToken,
  RESILIENCE_CLOCK,
  ResilienceExecutor,
  ResilienceModule,
} from '../../nest-module/index.js';
import {
  fail,
  ResilienceTesting,
  ResilienceTestingModule,
  succeed,
} from '../../nest-module/testing/index.js';
import { closing } from '../nest/support.js';
import { rejection } from '../operation/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { alone, AppModule, DOWN, OPTIONS, PaymentsClient, PaymentsHttp, RECEIPT } from './support.js';

describe('a test of one class', () => {
  it('has the module on a fake clock, with everything that the module has', async () => {
    const { resilience, client, http, breakers, app } = await alone();
    const breaker = breakers.get('payments');
    expect(app.get(RESILIENCE_CLOCK)).toBe(resilience.clock);
    http.answer = () => Promise.reject(DOWN);
    expect(await resilience.settle(rejection(client.charge('o-1')))).toBe(DOWN);
    expect([breaker.state, resilience.clock.monotonicMs()]).toEqual(['open', 3_000]);
    expect(app.get(getCircuitBreakerToken('payments'))).toBe(breaker);
    expect(app.get(ResilienceExecutor).operationNames()).toContain('PaymentsClient.charge');
    expect(resilience.lastReport('PaymentsClient.charge').retryCount).toBe(2);
    expect(resilience.events.sequence('PaymentsClient.charge')).toContain('circuit_breaker.opened');
  });

  it('may inject what it is tested with, anywhere', async () => {
    @Injectable()
    class Helper {
      constructor(@Inject(ResilienceTesting) readonly resilience: ResilienceTesting) {}
    }
    const { app, resilience } = await alone(OPTIONS, { providers: [Helper] });
    expect(app.get(Helper).resilience).toBe(resilience);
  });

  it('may have event sinks and settings of its own, as the module has', async () => {
    @Injectable()
    class Sink extends InMemoryEventSink {}
    const { app, client, resilience } = await alone({
      ...OPTIONS,
      eventSinks: [Sink],
      operations: { 'PaymentsClient.jittered': { retries: 1 } },
      seed: 7,
    });
    resilience.script('PaymentsClient.jittered', fail(DOWN), fail(DOWN));
    await resilience.settle(rejection(client.jittered('o-1')));
    expect(app.get(Sink).events()).toEqual(resilience.events.events());
    expect(resilience.lastReport().attemptCount).toBe(2);
  });

  it('may leave what its class depends on to a mocker', async () => {
    const imports = [ResilienceTestingModule.forRoot(OPTIONS)];
    const app = closing(
      await Test.createTestingModule({ imports, providers: [PaymentsClient] })
        .useMocker((token) => (token === PaymentsHttp ? { post: async () => RECEIPT } : {}))
        .compile(),
    );
    await app.init();
    expect(await app.get(PaymentsClient).charge('o-1')).toBe(RECEIPT);
    expect(app.get(ResilienceTesting).lastReport().attemptCount).toBe(1);
  });

  it('may override providers, circuit breakers too', async () => {
    const breaker = new CircuitBreaker({ name: 'payments', failureThreshold: 1 });
    const imports = [ResilienceTestingModule.forRoot(OPTIONS)];
    const app = closing(
      await Test.createTestingModule({ imports, providers: [PaymentsClient, PaymentsHttp] })
        .overrideProvider(getCircuitBreakerToken('payments'))
        .useValue(breaker)
        .compile(),
    );
    await app.init();
    const resilience = app.get(ResilienceTesting);
    resilience.script('PaymentsClient.charge', fail(DOWN));
    await resilience.settle(rejection(app.get(PaymentsClient).charge('o-1')));
    expect(breaker.state).toBe('open');
  });

  it('has what is made for each request', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest {
      @Resilient({ retries: 1 })
      async call(): Promise<string> {
        throw DOWN;
      }
    }
    const { app, resilience } = await alone(OPTIONS, { providers: [PerRequest] });
    const one = await app.resolve(PerRequest);
    expect(await resilience.settle(rejection(one.call()))).toBe(DOWN);
    expect(resilience.lastReport('PerRequest.call').attemptCount).toBe(2);
  });

  it('can be told everything by a sink that is itself decorated', async () => {
    @Injectable()
    class Outbox implements EventSink {
      readonly rows: string[] = [];

      @Resilient()
      async emit({ eventType }: AnyEvent): Promise<void> {
        this.rows.push(eventType);
      }
    }
    const { app, client, resilience } = await alone({ ...OPTIONS, eventSinks: [Outbox] });
    await client.charge('o-1');
    await resilience.advance(0);
    expect(app.get(Outbox).rows).toEqual(resilience.events.sequence());
    expect(resilience.reports('Outbox.emit')).toHaveLength(4);
  });
});

describe('the module of a test', () => {
  const start = async (imports: NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>) => {
    await Test.createTestingModule({ imports }).compile();
  };

  it('is the resilience module, so that there cannot be another one', async () => {
    @Module({ imports: [ResilienceModule.forRoot()] })
    class Feature {}
    for (const imports of [
      [ResilienceTestingModule.forRoot(), Feature],
      [Feature, ResilienceTestingModule.forRoot()],
      [ResilienceTestingModule.forRoot(), ResilienceTestingModule.forRoot({ seed: 2 })],
      [ResilienceTestingModule.forRoot(), AppModule],
    ])
      await expect(start(imports)).rejects.toMatchObject({
        option: 'ResilienceModule.forRoot',
        problem: 'is imported more than once',
      });
  });

  it('cannot be imported as it is', async () => {
    await expect(start([ResilienceTestingModule])).rejects.toMatchObject({
      option: 'ResilienceTestingModule',
      cure: 'import ResilienceTestingModule.forRoot()',
    });
  });

  it('takes features beside it', async () => {
    const { app } = await alone(OPTIONS, {
      imports: [ResilienceModule.forFeature({ circuitBreakers: [{ name: 'stock' }] })],
    });
    expect(app.get<CircuitBreaker>(getCircuitBreakerToken('stock')).state).toBe('closed');
  });

  it.each([
    [{ seed: 1.5 }, 'seed', 'ResilienceTesting'],
    [{ passThrough: 'all' }, 'passThrough', 'ResilienceTesting'],
    [{ eventSink: [] }, 'eventSink', 'ResilienceModule'],
    [{ circuitBreakers: [{ name: 'a', failureThreshold: 0 }] }, 'failureThreshold', 'ResilienceModule'],
  ])('refuses %j', (options, option, path) => {
    const mistake = mistakeOf(() => ResilienceTestingModule.forRoot(options as object));
    expect(mistake.option).toContain(option);
    expect(mistake.path).toContain(path);
  });
});

describe('two applications at once', () => {
  it('share nothing, not even if they share a module', async () => {
    const shared = ResilienceTestingModule.forRoot(OPTIONS);
    const scenes = await Promise.all(
      [1, 2].map(async () => {
        const app = closing(
          await Test.createTestingModule({
            imports: [shared],
            providers: [PaymentsClient, PaymentsHttp],
          }).compile(),
        );
        await app.init();
        return { client: app.get(PaymentsClient), resilience: app.get(ResilienceTesting) };
      }),
    );
    const [one, other] = scenes as [(typeof scenes)[0], (typeof scenes)[0]];
    one.resilience.script('PaymentsClient.charge', fail(DOWN), succeed({ id: 'scripted' }));
    expect(await one.resilience.settle(one.client.charge('o-1'))).toEqual({ id: 'scripted' });
    expect(await other.client.charge('o-2')).toBe(RECEIPT);
    expect([one.resilience.clock.monotonicMs(), other.resilience.clock.monotonicMs()]).toEqual([1_000, 0]);
    expect([one.resilience.reports().length, other.resilience.reports().length]).toEqual([1, 1]);
    expect(other.resilience.events.sequence()).toHaveLength(4);
    expect(other.resilience.pendingOutcomes()).toEqual([]);
  });

  it('may live on one clock, if a test wants them to', async () => {
    const resilience = new ResilienceTesting();
    const apps = await Promise.all(
      [1, 2].map(async () => {
        const builder = Test.createTestingModule({ imports: [AppModule] });
        return closing(await resilience.override(builder).compile()).init();
      }),
    );
    resilience.script('PaymentsClient.charge', fail(DOWN), fail(DOWN), succeed(RECEIPT), succeed(RECEIPT));
    const charges = apps.map((app) => app.get(PaymentsClient).charge('o-1'));
    expect(await resilience.settle(Promise.all(charges))).toEqual([RECEIPT, RECEIPT]);
    expect([resilience.reports().length, resilience.clock.monotonicMs()]).toEqual([2, 1_000]);
  });
});
