import { Inject, Injectable, type ModuleMetadata } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { InMemoryEventSink, Resilient, type AnyEvent } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { RESILIENCE_CLOCK, ResilienceState, type ResilienceModuleOptions } from '../../nest-module/index.js';
import { build, start } from '../nest/support.js';

export class Down extends Error {}

/** A client whose upstream does as a test says. */
@Injectable()
export class PaymentsClient {
  answer: () => unknown = () => 'receipt';

  @Resilient({ circuitBreaker: 'payments' })
  async charge(): Promise<unknown> {
    return this.answer();
  }

  /** Calls that fail, one after another, if nothing refuses them. */
  async fails(times: number): Promise<void> {
    this.answer = () => {
      throw new Down('the bank said no to 4111 1111');
    };
    for (let call = 0; call < times; call += 1) await this.charge().catch(() => undefined);
  }
}

/** Somebody who wants to know from the start. */
@Injectable()
export class Dashboard {
  constructor(@Inject(ResilienceState) readonly state: ResilienceState) {}
}

export const circuitBreakers = [
  { name: 'payments', failureThreshold: 2, recoveryTimeout: 30 },
  { name: 'ledger' },
];

export interface Scene {
  readonly clock: FakeClock;
  readonly app: TestingModule;
  readonly state: ResilienceState;
  readonly client: PaymentsClient;
}

/** An application on a fake clock, in which somebody injects the state. */
export async function scene(
  metadata: ModuleMetadata = {},
  options: ResilienceModuleOptions = {},
): Promise<Scene> {
  const clock = new FakeClock();
  const providers = [PaymentsClient, Dashboard, ...(metadata.providers ?? [])];
  const app = await start({ ...metadata, providers }, { circuitBreakers, ...options }, onClock(clock));
  return { clock, app, state: app.get(Dashboard).state, client: app.get(PaymentsClient) };
}

/** Puts an application on a clock. */
export function onClock(clock: FakeClock): Parameters<typeof build>[2] {
  return (builder) => builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock);
}

/** The events of circuit breakers. */
export function breakerEvents(sink: InMemoryEventSink): readonly AnyEvent[] {
  return sink.events().filter(({ eventType }) => eventType.startsWith('circuit_breaker.'));
}
