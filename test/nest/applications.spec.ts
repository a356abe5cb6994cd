import { describe, expect, it } from '@jest/globals';
import { Inject, Injectable, Scope, type INestApplicationContext } from '@nestjs/common';
import {
  CircuitBreakerRegistry,
  EventEmitter,
  InMemoryEventSink,
  OperationExecutionError,
  Resilient,
  reportOf,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  getCircuitBreakerToken,
  RESILIENCE_CLOCK,
  RESILIENCE_EVENTS,
  RESILIENCE_EXECUTOR,
  RESILIENCE_RANDOM,
  ResilienceExecutor,
  ResilienceModule,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { start } from './support.js';

@Injectable()
class Inner {
  calls = 0;

  @Resilient({ circuitBreaker: 'db' })
  async query(): Promise<void> {
    this.calls += 1;
    throw new Error('down');
  }
}

@Injectable({ scope: Scope.REQUEST })
class Outer {
  constructor(@Inject(Inner) private readonly inner: Inner) {}

  @Resilient()
  async call(): Promise<void> {
    await this.inner.query();
  }
}

@Injectable()
class OnlyInFirst {
  @Resilient()
  async call(): Promise<void> {}
}

interface App {
  readonly app: INestApplicationContext;
  readonly clock: FakeClock;
  readonly sink: InMemoryEventSink;
  readonly reports: string[];
}

async function started(
  defaults: ResilienceModuleOptions['defaults'],
  more: (new () => object)[] = [],
): Promise<App> {
  const [clock, reports] = [new FakeClock(), [] as string[]];
  const app = await start(
    { providers: [Inner, Outer, ...more] },
    {
      circuitBreakers: [{ name: 'db', failureThreshold: 3, recoveryTimeout: 30 }],
      eventSinks: [InMemoryEventSink],
      ...(defaults !== undefined && { defaults }),
    },
    (builder) => builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
  );
  app
    .get(ResilienceExecutor)
    .observe(({ operationName, attemptCount }) => reports.push(`${operationName} ${attemptCount}`));
  return { app, clock, reports, sink: app.get(InMemoryEventSink) };
}

const retrying = { retries: 2, backoff: { delayForRetry: () => 1 }, retryOn: [Error] };

async function callOuter({ app, clock }: App): Promise<unknown> {
  const outer = await app.resolve(Outer);
  return clock.settle(outer.call().catch((error: unknown) => error));
}

/** Everything that the module gives an application. */
const TOKENS = [
  RESILIENCE_EVENTS,
  RESILIENCE_EXECUTOR,
  ResilienceExecutor,
  ResilienceModule,
  CircuitBreakerRegistry,
  getCircuitBreakerToken('db'),
  InMemoryEventSink,
];

describe('two applications in one process share nothing:', () => {
  it('each has its own of everything that the module gives', async () => {
    const [first, second] = [await started(undefined), await started(undefined)];
    for (const token of TOKENS) expect(second.app.get(token)).not.toBe(first.app.get(token));
    // Without a test's clock both go by the machine's, which has no state.
    expect(first.app.get<unknown>(RESILIENCE_RANDOM)).toBe(second.app.get<unknown>(RESILIENCE_RANDOM));
    expect(first.app.get<EventEmitter>(RESILIENCE_EVENTS)).toBeInstanceOf(EventEmitter);
  });

  it('policies, breakers, events, reports, names and time', async () => {
    const first = await started({ ...retrying, throws: 'execution-error' }, [OnlyInFirst]);
    const second = await started(undefined);

    const failures = [await callOuter(first), await callOuter(second)];
    expect(failures.map((failure) => failure instanceof OperationExecutionError)).toEqual([true, false]);
    expect(failures.map((failure) => reportOf(failure)?.attemptCount)).toEqual([3, 1]);

    // Three tries of the outer one, of three tries of the inner one each, until the breaker opens at the third failure.
    expect([first.app.get(Inner).calls, second.app.get(Inner).calls]).toEqual([3, 1]);
    expect(second.reports).toEqual(['Inner.query 1', 'Outer.call 1']);
    expect(second.sink.sequence('Inner.query')).toEqual([
      'operation.started',
      'attempt.started',
      'attempt.failed',
      'operation.failed',
    ]);
    const breakers = [first, second].map(({ app }) => app.get(CircuitBreakerRegistry).get('db').snapshot());
    expect(breakers.map(({ state, failureCount }) => [state, failureCount])).toEqual([
      ['open', 3],
      ['closed', 1],
    ]);
    expect([first.clock.monotonicMs() > 0, second.clock.monotonicMs()]).toEqual([true, 0]);

    const names = [first, second].map(({ app }) => app.get(ResilienceExecutor).operationNames());
    expect(names.map((list) => list.includes('OnlyInFirst.call'))).toEqual([true, false]);
    expect([first.clock.pendingTimers, second.clock.pendingTimers]).toEqual([0, 0]);
  });

  it('calls in flight at the same time keep to their own', async () => {
    const [first, second] = [await started(retrying), await started(retrying)];
    const outcomes = Promise.all([callOuter(first), callOuter(second)]);
    await outcomes;
    for (const { app, reports, sink, clock } of [first, second]) {
      expect(app.get(Inner).calls).toBe(3);
      expect(reports.filter((report) => report.startsWith('Outer.call'))).toEqual(['Outer.call 3']);
      expect(sink.events().filter(({ eventType }) => eventType === 'circuit_breaker.opened')).toHaveLength(1);
      expect(clock.pendingTimers).toBe(0);
    }
  });

  it('closing one leaves the other as it was', async () => {
    const [first, second] = [await started(undefined), await started(undefined)];
    await callOuter(first);
    await callOuter(second);
    await second.app.close();
    await callOuter(first);
    await callOuter(first);
    expect(first.app.get(CircuitBreakerRegistry).get('db').state).toBe('open');
    expect(first.reports).toHaveLength(6);
    expect(second.reports).toHaveLength(2);
  });
});
