import 'reflect-metadata';
import { Inject, Injectable } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { ExponentialBackoff, Resilient, Shielded } from '../../../lib/index.js';
import { RESILIENCE_CLOCK, RESILIENCE_RANDOM, ResilienceModule } from '../../../nest-module/index.js';
import type { CountingClock } from '../shapes/shape.js';
import { Down, Upstream } from './phases.js';
import { AllEvents, SlowSink } from './sinks.js';
import { Tally } from './tally.js';

export const SIGNAL = 'the signal of the application';

const backoff = new ExponentialBackoff({ baseDelay: 0.01, maxDelay: 0.05 });
const signal = function (this: Client): AbortSignal {
  return this.signal;
};

/** A client with every policy, each method with a mixture of them. */
@Injectable()
export class Client {
  constructor(
    @Inject(Upstream) private readonly upstream: Upstream,
    @Inject(Tally) private readonly tally: Tally,
    @Inject(SIGNAL) readonly signal: AbortSignal,
  ) {}

  @Resilient({
    retries: 2,
    retryOn: [Down],
    backoff,
    timeout: '60ms',
    deadline: '400ms',
    circuitBreaker: 'payments',
    fallback: 'keep',
    signal,
  })
  async charge(): Promise<string> {
    return this.upstream.answer();
  }

  async keep(): Promise<string> {
    return 'kept';
  }

  @Resilient({ retries: 1, backoff, timeout: '60ms', deadline: '300ms', circuitBreaker: 'rates', signal })
  async rate(): Promise<string> {
    return this.upstream.heeding();
  }

  @Shielded('search', { deadline: '1s', signal })
  async search(): Promise<string> {
    return this.upstream.answer();
  }

  @Resilient({ timeout: '80ms', deadline: '500ms', concurrencyLimit: 'printers', signal })
  async print(): Promise<string> {
    return this.upstream.counted();
  }

  @Resilient({
    retries: 1,
    backoff,
    timeout: '60ms',
    deadline: '300ms',
    idempotencyKey: (order: string) => order,
    idempotencyTtl: '1s',
    signal,
  })
  async order(_order: string): Promise<string> {
    return this.upstream.answer();
  }

  /** Two calls in one: what it starts ends with it. */
  @Resilient({ timeout: '120ms', validate: (texts: string[]) => texts.length === 2, signal })
  async both(): Promise<string[]> {
    return Promise.all([this.tally.count('rate', this.rate()), this.tally.count('charge', this.charge())]);
  }
}

export async function startApplication(
  given: { readonly upstream: Upstream; readonly tally: Tally; readonly signal: AbortSignal },
  clock: CountingClock,
): Promise<TestingModule> {
  const resilience = ResilienceModule.forRoot({
    circuitBreakers: [
      { name: 'payments', failureThreshold: 20, recoveryTimeout: '200ms', probes: { successes: 3 } },
      { name: 'rates', failureRate: 0.5, window: '1s', minimumCalls: 50, recoveryTimeout: '200ms' },
    ],
    shields: [{ name: 'search', profile: 'internal', maxWait: '500ms' }],
    concurrencyLimits: [{ name: 'printers', maxConcurrent: 10, queue: { size: 50, maxWait: '100ms' } }],
    eventSinks: [AllEvents, SlowSink],
  });
  const providers = [
    Client,
    { provide: Upstream, useValue: given.upstream },
    { provide: Tally, useValue: given.tally },
    { provide: SIGNAL, useValue: given.signal },
  ];
  const builder = Test.createTestingModule({ imports: [resilience], providers });
  builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock);
  builder.overrideProvider(RESILIENCE_RANDOM).useValue(given.upstream.random);
  return (await builder.compile()).init();
}
