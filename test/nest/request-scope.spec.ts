import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Inject, Injectable, Scope } from '@nestjs/common';
import { CircuitBreakerRegistry, Resilient } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { RESILIENCE_CLOCK, ResilienceExecutor } from '../../nest-module/index.js';
import { calls, PLATFORMS, serve, start, watch } from './support.js';

const INSTANCES = 10_000;

@Injectable({ scope: Scope.REQUEST })
class PayClient {
  static made = 0;

  constructor() {
    PayClient.made += 1;
  }

  @Resilient({ circuitBreaker: 'pay', timeout: '10s', retries: 1, retryOn: [RangeError] })
  async call(): Promise<string> {
    return 'paid';
  }
}

/** What keeps a process busy, without what the test runner and its workers have open. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout' || kind === 'Immediate').length;
}

// B011
describe(`${INSTANCES} request-scoped instances that name one circuit breaker`, () => {
  const circuitBreakers = [{ name: 'pay' }];

  it('share it and one operation, and leave no timers', async () => {
    const clock = new FakeClock();
    const app = await start({ providers: [PayClient] }, { circuitBreakers }, (builder) =>
      builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
    );
    PayClient.made = 0;
    const reported = new Set<string>();
    const end = app.get(ResilienceExecutor).observe(({ operationName }) => reported.add(operationName));
    for (let index = 0; index < INSTANCES; index += 1) {
      const client = await app.resolve(PayClient);
      if ((await client.call()) !== 'paid') throw new Error('not paid');
    }
    end();
    const registry = app.get(CircuitBreakerRegistry);
    expect([PayClient.made, registry.list().length, reported]).toEqual([
      INSTANCES,
      1,
      new Set(['PayClient.call']),
    ]);
    expect(clock.pendingTimers).toBe(0);
    expect(app.get(ResilienceExecutor).operationNames()).toEqual(['PayClient.call']);
  });

  it('share one timer of the machine while their calls are in flight, and none afterwards', async () => {
    const settle: (() => void)[] = [];
    @Injectable({ scope: Scope.REQUEST })
    class SlowClient {
      @Resilient({ circuitBreaker: 'pay', timeout: '10s' })
      async call(): Promise<void> {
        await new Promise<void>((resolve) => settle.push(resolve));
      }
    }
    const app = await start({ providers: [SlowClient] }, { circuitBreakers });
    const before = timers();
    const running: Promise<void>[] = [];
    for (let index = 0; index < INSTANCES; index += 1) running.push((await app.resolve(SlowClient)).call());
    expect(timers() - before).toBeLessThanOrEqual(1);
    for (const end of settle) end();
    await Promise.all(running);
    expect(settle).toHaveLength(INSTANCES);
    expect(timers() - before).toBeLessThanOrEqual(0);
    expect(app.get(CircuitBreakerRegistry).list()).toHaveLength(1);
  });
});

it.each(PLATFORMS)('on %s a failure in one request is counted for the next one', async (platform) => {
  @Injectable({ scope: Scope.REQUEST })
  class Failing {
    @Resilient({ circuitBreaker: 'pay' })
    async call(): Promise<void> {
      throw new Error('down');
    }
  }
  @Controller()
  class PayController {
    constructor(@Inject(Failing) private readonly client: Failing) {}

    @Get()
    async pay(): Promise<string> {
      return this.client.call().then(
        () => 'paid',
        (error: Error) => error.name,
      );
    }
  }
  const metadata = { controllers: [PayController], providers: [Failing] };
  const options = { circuitBreakers: [{ name: 'pay', failureThreshold: 3 }] };
  const { app, ask } = await serve(metadata, options, undefined, platform);
  watch(app);
  const texts: string[] = [];
  for (let index = 0; index < 4; index += 1) texts.push((await ask('/')).text);
  expect(texts).toEqual(['Error', 'Error', 'Error', 'CircuitBreakerOpenError']);
  expect(calls()).toEqual(Array<string>(4).fill('APP Failing.call'));
});
