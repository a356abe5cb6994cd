import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Inject, Injectable } from '@nestjs/common';
import {
  CircuitBreakerRegistry,
  ExponentialBackoff,
  OperationTimeoutError,
  Resilient,
} from '../../lib/index.js';
import { watch } from '../support/watch.js';
import { compile, PLATFORMS, serve } from './support.js';

const backoff = new ExponentialBackoff({ baseDelay: 0.1, multiplier: 2, jitter: false });
/** The server of an application needs these to be real. */
const doNotFake = ['nextTick', 'setImmediate', 'queueMicrotask'] as const;

@Injectable()
class Client {
  tries = 0;

  @Resilient({ retries: 3, backoff, circuitBreaker: 'api' })
  async call(): Promise<string> {
    this.tries += 1;
    if (this.tries < 4) throw new Error('not yet');
    return 'done';
  }

  @Resilient({ timeout: '2s', circuitBreaker: 'api' })
  async hang(): Promise<void> {
    await new Promise(() => undefined);
  }
}

const options = { circuitBreakers: [{ name: 'api', failureThreshold: 4, recoveryTimeout: 30 }] };

afterEach(() => void jest.useRealTimers());

// B159: the library and Nest were imported above, with the platform's timers.
describe("a test's fake timers drive an application", () => {
  it('that starts under them: waits, timeouts and the recovery of a breaker', async () => {
    jest.useFakeTimers();
    const app = await (await compile({ providers: [Client] }, options)).init();
    const client = app.get(Client);
    const call = watch(client.call());
    await jest.advanceTimersByTimeAsync(699);
    expect([call.state, client.tries]).toEqual(['pending', 3]);
    await jest.advanceTimersByTimeAsync(1);
    expect([call, client.tries]).toEqual([{ state: 'fulfilled', outcome: 'done' }, 4]);

    const hanging = watch(client.hang());
    await jest.advanceTimersByTimeAsync(2_000);
    expect(hanging.outcome).toBeInstanceOf(OperationTimeoutError);
    const breaker = app.get(CircuitBreakerRegistry).get('api');
    for (let failures = breaker.snapshot().failureCount; failures < 4; failures += 1) {
      watch(client.hang());
      await jest.advanceTimersByTimeAsync(2_000);
    }
    expect([breaker.state, breaker.snapshot().openedAt]).toEqual(['open', new Date()]);
    await jest.advanceTimersByTimeAsync(29_999);
    expect(breaker.snapshot().probeDue).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect(breaker.snapshot().probeDue).toBe(true);
    expect(jest.getTimerCount()).toBe(0);
    await app.close();
  });

  it.each(PLATFORMS)('that answers requests meanwhile, on %s', async (platform) => {
    @Controller()
    class ClientController {
      constructor(@Inject(Client) private readonly client: Client) {}

      @Get()
      async get(): Promise<string> {
        return this.client.call();
      }
    }
    const metadata = { controllers: [ClientController], providers: [Client] };
    const { app, ask } = await serve(metadata, options, undefined, platform);
    jest.useFakeTimers({ doNotFake: [...doNotFake] });
    const answer = watch(ask('/'));
    for (let tries = 1; tries < 4; tries += 1) {
      while (app.get(Client).tries < tries) await new Promise(setImmediate);
      await jest.advanceTimersByTimeAsync(100 * 2 ** (tries - 1));
    }
    while (answer.state === 'pending') await new Promise(setImmediate);
    expect(answer.outcome).toEqual({ status: 200, text: 'done' });
    expect(app.get(Client).tries).toBe(4);
  });
});
