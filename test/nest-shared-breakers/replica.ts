import {
  Global,
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import { CircuitBreakerRegistry, InMemoryEventSink, Resilient, type EventEmitter } from '../../lib/index.js';
import { shareCircuitBreakers, type SharedCircuitBreakers } from '../../lib/adapters/redis.js';
import { RESILIENCE_EVENTS, ResilienceModule } from '../../nest-module/index.js';

export const INTERVAL_MS = 100;

/** Says what its upstream is like. */
class Client {
  isUp = true;
  asked = 0;

  protected async ask(): Promise<string> {
    this.asked += 1;
    if (!this.isUp) throw new Error('down');
    return 'receipt';
  }

  /** Calls that fail, one after another, if nothing refuses them. */
  async fails(times: number, method: () => Promise<string>): Promise<void> {
    this.isUp = false;
    for (let call = 0; call < times; call += 1) await method().catch(() => undefined);
    this.isUp = true;
  }
}

@Injectable()
export class PaymentsClient extends Client {
  @Resilient({ circuitBreaker: 'payments' })
  async charge(): Promise<string> {
    return this.ask();
  }
}

@Injectable()
export class LedgerClient extends Client {
  @Resilient({ circuitBreaker: 'ledger', fallback: 'later' })
  async book(): Promise<string> {
    return this.ask();
  }

  async later(): Promise<string> {
    return 'later';
  }
}

export const SHARED = Symbol('shared circuit breakers');
const CLIENT = Symbol('redis');

/** The connection of the application, which closes it when it has shut down. */
@Injectable()
class Connection implements OnApplicationShutdown {
  constructor(@Inject(CLIENT) readonly client: Redis) {}

  async onApplicationShutdown(): Promise<void> {
    // Nest 11 calls the hooks of an application again that is closed twice.
    if (this.client.status !== 'end') await this.client.quit();
  }
}

@Global()
@Module({
  providers: [
    Connection,
    {
      provide: SHARED,
      inject: [CircuitBreakerRegistry, RESILIENCE_EVENTS, CLIENT],
      useFactory: (breakers: CircuitBreakerRegistry, events: EventEmitter | undefined, client: Redis) =>
        shareCircuitBreakers({ client, breakers, events, interval: `${INTERVAL_MS}ms` }),
    },
  ],
  exports: [SHARED],
})
class SharingModule {
  static on(client: Redis): DynamicModule {
    return {
      module: SharingModule,
      providers: [{ provide: CLIENT, useValue: client }],
      exports: [CLIENT],
    };
  }
}

@Module({
  imports: [
    ResilienceModule.forFeature({
      circuitBreakers: [{ name: 'ledger', failureThreshold: 2, recoveryTimeout: '300ms' }],
    }),
  ],
  providers: [LedgerClient],
})
class LedgerModule {}

/** One replica of an application. */
export async function startReplica(url: string, prefix = '') {
  const client = new Redis(url, { keyPrefix: prefix });
  client.on('error', () => undefined);
  const sink = new InMemoryEventSink();
  @Module({
    imports: [
      ResilienceModule.forRoot({
        circuitBreakers: [{ name: 'payments', failureThreshold: 2, recoveryTimeout: '300ms' }],
        eventSinks: [sink],
      }),
      SharingModule.on(client),
      LedgerModule,
    ],
    providers: [PaymentsClient],
  })
  class AppModule {}
  const app = await NestFactory.create(AppModule, { logger: false });
  await app.init();
  const payments = app.get(PaymentsClient);
  const ledger = app.get(LedgerClient, { strict: false });
  return {
    app,
    client,
    sink,
    payments,
    ledger,
    charge: () => payments.charge(),
    book: () => ledger.book(),
    breaker: (name: string) => app.get(CircuitBreakerRegistry).get(name),
    shared: app.get<SharedCircuitBreakers>(SHARED, { strict: false }),
  };
}

export type Replica = Awaited<ReturnType<typeof startReplica>>;
