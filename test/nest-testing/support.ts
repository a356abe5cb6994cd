import { Inject, Injectable, Module, type ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { CircuitBreakerRegistry, currentAttempt, Resilient } from '../../lib/index.js';
import { ResilienceModule, type ResilienceModuleOptions } from '../../nest-module/index.js';
import {
  ResilienceTesting,
  ResilienceTestingModule,
  type ResilienceTestingModuleOptions,
  type ResilienceTestingOptions,
} from '../../nest-module/testing/index.js';
import { initialised } from '../nest/support.js';

export interface Receipt {
  readonly id: string;
}

export const RECEIPT: Receipt = { id: 'r-1' };
export const DOWN = new Error('down');

/** A back-off of one second, then two, then four. */
export const backoff = { delayForRetry: (retry: number) => 2 ** (retry - 1) };

/** What the client calls; no test lets it. */
@Injectable()
export class PaymentsHttp {
  readonly orders: string[] = [];
  answer: () => Promise<Receipt> = () => Promise.resolve(RECEIPT);

  async post(order: string): Promise<Receipt> {
    this.orders.push(order);
    return this.answer();
  }
}

@Injectable()
export class PaymentsClient {
  signal: AbortSignal | undefined;

  constructor(@Inject(PaymentsHttp) private readonly http: PaymentsHttp) {}

  @Resilient({ retries: 2, backoff, timeout: '5s', circuitBreaker: 'payments' })
  async charge(order: string): Promise<Receipt> {
    this.signal = currentAttempt().signal;
    return this.http.post(order);
  }

  @Resilient({ timeout: '5s', fallback: 'later', validate: ({ id }: Receipt) => id !== '' })
  async check(order: string): Promise<Receipt> {
    return this.http.post(order);
  }

  async later(order: string): Promise<Receipt> {
    return { id: `later ${order}` };
  }

  @Resilient({ retries: 3 })
  async jittered(order: string): Promise<Receipt> {
    return this.http.post(order);
  }
}

export const OPTIONS: ResilienceModuleOptions = {
  circuitBreakers: [{ name: 'payments', failureThreshold: 3, recoveryTimeout: '30s' }],
};

/** The whole application, which knows nothing of tests. */
@Module({ imports: [ResilienceModule.forRoot(OPTIONS)], providers: [PaymentsHttp, PaymentsClient] })
export class AppModule {}

/** The application under test, started. */
export async function underTest(
  options?: ResilienceTestingOptions,
  metadata: ModuleMetadata = { imports: [AppModule] },
  adapt: (builder: TestingModuleBuilder) => TestingModuleBuilder = (builder) => builder,
) {
  const resilience = new ResilienceTesting(options);
  const builder = resilience.override(adapt(Test.createTestingModule(metadata)));
  const app = await initialised(await builder.compile());
  return { resilience, ...partsOf(app) };
}

/** The client alone, started. */
export async function alone(
  options: ResilienceTestingModuleOptions = OPTIONS,
  metadata: ModuleMetadata = {},
) {
  const providers = [PaymentsHttp, PaymentsClient, ...(metadata.providers ?? [])];
  const imports = [ResilienceTestingModule.forRoot(options), ...(metadata.imports ?? [])];
  const app = await initialised(
    await Test.createTestingModule({ ...metadata, imports, providers }).compile(),
  );
  return { resilience: app.get(ResilienceTesting), ...partsOf(app) };
}

function partsOf(app: TestingModule) {
  const strict = false;
  return {
    app,
    client: app.get(PaymentsClient, { strict }),
    http: app.get(PaymentsHttp, { strict }),
    breakers: app.get(CircuitBreakerRegistry),
  };
}
