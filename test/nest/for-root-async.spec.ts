import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import {
  CircuitBreaker,
  CircuitBreakerRegistry,
  InMemoryEventSink,
  Resilient,
  type AnyEvent,
  type EventSink,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  getCircuitBreakerToken,
  InjectCircuitBreaker,
  RESILIENCE_CLOCK,
  RESILIENCE_EXECUTOR,
  ResilienceExecutor,
  ResilienceModule,
  type ResilienceConfiguration,
  type ResilienceModuleAsyncOptions,
  type ResilienceOptionsFactory,
} from '../../nest-module/index.js';
import { startWith } from './configuration-support.js';
import { calls, watch } from './support.js';

@Injectable()
class Client {
  calls = 0;

  constructor(@InjectCircuitBreaker('payments') readonly breaker: CircuitBreaker) {}

  @Resilient({ use: 'upstream', circuitBreaker: 'payments' })
  async charge(): Promise<never> {
    this.calls += 1;
    throw new Error('down');
  }
}

const configuration = {
  circuitBreakers: { payments: { failureThreshold: '3', recoveryTimeout: '1m' } },
  defaults: { deadline: '1h' },
  policies: { upstream: { retries: '1', backoff: { baseDelay: 0 } } },
  operations: { 'Client.charge': { timeout: '2s' } },
  sinkErrors: 'propagate',
} as const satisfies ResilienceConfiguration;

const SUMMARY =
  "Client.charge: deadline 3600 s > up to 2 attempts (0 s × 2, at most 10 s, full jitter) > circuit breaker 'payments' > timeout 2 s > method";

@Injectable()
class RemoteSettings implements ResilienceOptionsFactory {
  async createResilienceOptions(): Promise<ResilienceConfiguration> {
    return configuration;
  }
}

@Injectable()
class SettingsFromConfig implements ResilienceOptionsFactory {
  constructor(@Inject(ConfigService) private readonly config: ConfigService) {}

  createResilienceOptions(): ResilienceConfiguration {
    return this.config.getOrThrow('resilience');
  }
}

@Module({ providers: [RemoteSettings], exports: [RemoteSettings] })
class SettingsModule {}

const config = ConfigModule.forRoot({
  ignoreEnvFile: true,
  ignoreEnvVars: true,
  load: [() => ({ resilience: configuration, upstream: { retries: '1' } })],
});

const circuitBreakers = ['payments'];
const later = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(value)));

describe('forRootAsync takes settings from', () => {
  it.each<[string, ResilienceModuleAsyncOptions]>([
    ['a function', { useFactory: () => configuration }],
    ['an async function', { useFactory: () => later(configuration) }],
    [
      'a function with what it injects',
      {
        imports: [config],
        inject: [ConfigService],
        useFactory: (service: ConfigService) => service.getOrThrow<ResilienceConfiguration>('resilience'),
      },
    ],
    [
      'a function with what it injects if it is there',
      {
        inject: [{ token: 'nobody', optional: true }],
        useFactory: (nobody: unknown) => (nobody === undefined ? configuration : {}),
      },
    ],
    ['a class that it makes', { useClass: RemoteSettings }],
    ['a class with what that injects', { imports: [config], useClass: SettingsFromConfig }],
    ['a provider of another module', { imports: [SettingsModule], useExisting: RemoteSettings }],
  ])('%s', async (_name, options) => {
    const root = ResilienceModule.forRootAsync({ circuitBreakers, ...options });
    const app = await startWith(root, { providers: [Client] });
    expect(app.get(ResilienceExecutor).descriptionOf('Client.charge').summary).toBe(SUMMARY);
    const client = app.get(Client);
    await expect(client.charge()).rejects.toThrow('down');
    expect(client.calls).toBe(2);
    expect(client.breaker.snapshot()).toMatchObject({
      failureCount: 2,
      failureThreshold: 3,
      recoveryTimeoutSeconds: 60,
    });
    expect(app.get(CircuitBreakerRegistry).list()).toEqual([client.breaker]);
  });

  it('the provider itself, not from a second one of its class', async () => {
    let made = 0;
    @Injectable()
    class Counting extends RemoteSettings {
      constructor() {
        super();
        made += 1;
      }
    }
    @Module({ providers: [Counting], exports: [Counting] })
    class CountingModule {}
    await startWith(
      ResilienceModule.forRootAsync({ circuitBreakers, imports: [CountingModule], useExisting: Counting }),
    );
    expect(made).toBe(1);
  });

  it('a factory that is asked once', async () => {
    let asked = 0;
    const useFactory = (): ResilienceConfiguration => {
      asked += 1;
      return configuration;
    };
    await startWith(ResilienceModule.forRootAsync({ circuitBreakers, useFactory }), { providers: [Client] });
    expect(asked).toBe(1);
  });

  it('a factory that says nothing', async () => {
    const app = await startWith(ResilienceModule.forRootAsync({ useFactory: () => ({}) }));
    expect(app.get(ResilienceExecutor).operationNames()).toEqual([]);
  });

  it('a factory that gives a circuit breaker itself', async () => {
    const payments = new CircuitBreaker({ name: 'payments' });
    const root = ResilienceModule.forRootAsync({
      circuitBreakers,
      useFactory: () => ({ circuitBreakers: { payments } }),
    });
    const app = await startWith(root);
    expect(app.get(CircuitBreakerRegistry).get('payments')).toBe(payments);
    expect(app.get(getCircuitBreakerToken('payments'))).toBe(payments);
  });
});

describe('beside the factory stands what Nest must know before:', () => {
  it('event sinks, with what they inject', async () => {
    @Injectable()
    class ConfiguredSink implements EventSink {
      readonly seen: string[] = [];

      constructor(@Inject(ConfigService) readonly config: ConfigService) {}

      emit(event: AnyEvent): void {
        this.seen.push(`${event.eventType} ${this.config.get<string>('upstream.retries') ?? ''}`);
      }
    }
    const own = new InMemoryEventSink();
    const root = ResilienceModule.forRootAsync({
      circuitBreakers,
      imports: [config],
      eventSinks: [ConfiguredSink, own],
      useFactory: () => configuration,
    });
    const app = await startWith(root, { providers: [Client] });
    await expect(app.get(Client).charge()).rejects.toThrow('down');
    // `sinkErrors` came from the factory: sinks are awaited, so everything is there already.
    const types = own.events().map(({ eventType }) => eventType);
    expect(types.at(-1)).toBe('operation.failed');
    expect(app.get(ConfiguredSink).seen).toEqual(types.map((type) => `${type} 1`));
  });
});

describe('what forRootAsync made may be replaced by a test:', () => {
  const root = () => ResilienceModule.forRootAsync({ circuitBreakers, useFactory: () => configuration });

  it('the clock, which circuit breakers go by too', async () => {
    const clock = new FakeClock();
    const app = await startWith(root(), { providers: [Client] }, (builder) =>
      builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
    );
    const { breaker } = app.get(Client);
    for (const _ of [1, 2]) await expect(app.get(Client).charge()).rejects.toThrow();
    expect(breaker.snapshot()).toMatchObject({ state: 'open', retryAfterSeconds: 60 });
    await clock.advance('1m');
    expect(breaker.snapshot()).toMatchObject({ state: 'open', probeDue: true });
  });

  it('a circuit breaker, which methods then get by its name', async () => {
    const replacement = new CircuitBreaker({ name: 'payments', failureThreshold: 1 });
    const app = await startWith(root(), { providers: [Client] }, (builder) =>
      builder.overrideProvider(getCircuitBreakerToken('payments')).useValue(replacement),
    );
    await expect(app.get(Client).charge()).rejects.toThrow();
    expect(app.get(Client).breaker).toBe(replacement);
    expect([replacement.state, app.get(Client).calls]).toEqual(['open', 1]);
  });

  it('the executor, by one that knows nothing of the settings', async () => {
    const simple = { planFor: () => undefined };
    const app = await startWith(root(), { providers: [Client] }, (builder) =>
      builder.overrideProvider(RESILIENCE_EXECUTOR).useValue(simple),
    );
    expect(app.get(ResilienceExecutor)).toBe(simple);
  });
});

it('two applications made from one registration share nothing', async () => {
  const root = ResilienceModule.forRootAsync({ circuitBreakers, useFactory: () => configuration });
  const one = watch(await startWith(root, { providers: [Client] }), 'ONE');
  const two = watch(await startWith(root, { providers: [Client] }), 'TWO');
  await expect(one.get(Client).charge()).rejects.toThrow();
  await expect(one.get(Client).charge()).rejects.toThrow();
  expect([one, two].map((app) => app.get(Client).breaker.state)).toEqual(['open', 'closed']);
  await expect(two.get(Client).charge()).rejects.toThrow('down');
  expect(calls()).toEqual(['ONE Client.charge', 'ONE Client.charge', 'TWO Client.charge']);
  expect(one.get(ResilienceExecutor)).not.toBe(two.get(ResilienceExecutor));
});
