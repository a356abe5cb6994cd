import type { ModuleMetadata, Type } from '@nestjs/common';
import { CircuitBreakerRegistry, InMemoryEventSink, type ExecutionReport } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  RESILIENCE_CLOCK,
  ResilienceExecutor,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { start } from './support.js';

/** A back-off of this length each time. */
export const everySeconds = (seconds: number) => ({ delayForRetry: () => seconds });

const PAYMENTS = { name: 'payments', failureThreshold: 1, recoveryTimeout: '30s' } as const;

/** Lets everything run that can run without time. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** An application on a fake clock, one client of which is looked at, and what can be seen of it from outside. */
export async function application<C extends object>(
  client: Type<C>,
  options: ResilienceModuleOptions = {},
  metadata: ModuleMetadata = {},
) {
  const clock = new FakeClock();
  const sink = new InMemoryEventSink();
  const reports: ExecutionReport[] = [];
  const app = await start(
    { ...metadata, providers: [client, ...(metadata.providers ?? [])] },
    { eventSinks: [sink], circuitBreakers: [PAYMENTS], ...options },
    (builder) => builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
  );
  app.get(ResilienceExecutor).observe((report) => reports.push(report));
  return { app, clock, sink, reports, client: app.get(client), breakers: app.get(CircuitBreakerRegistry) };
}
