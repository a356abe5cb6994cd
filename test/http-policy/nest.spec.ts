import { describe, expect, it, jest } from '@jest/globals';
import { Injectable, Logger } from '@nestjs/common';
import { CircuitBreakerRegistry, httpCircuitBreaker, httpPolicy, Resilient } from '../../lib/index.js';
import {
  ResilienceExecutor,
  ResilienceModule,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { application } from '../nest/shutdown-scene.js';
import { start } from '../nest/support.js';
import { failureWith } from './support.js';

@Injectable()
class PaymentsClient {
  answers: unknown[] = [];
  asked = 0;

  @Resilient(httpPolicy({ circuitBreaker: 'payments' }))
  async find(): Promise<string> {
    return this.answer();
  }

  @Resilient({ ...httpPolicy({ circuitBreaker: 'payments', method: 'POST' }), fallback: 'later' })
  async charge(): Promise<string> {
    return this.answer();
  }

  @Resilient('http')
  async list(): Promise<string> {
    return this.answer();
  }

  async later(): Promise<string> {
    return 'queued';
  }

  private async answer(): Promise<string> {
    this.asked += 1;
    const next = this.answers.shift();
    if (next !== undefined) throw next as Error;
    return 'ok';
  }
}

const MODULE: ResilienceModuleOptions = {
  circuitBreakers: [httpCircuitBreaker('payments', { failureThreshold: 2, recoveryTimeout: '1m' })],
  policies: { http: httpPolicy({ circuitBreaker: 'payments', retries: 1 }) },
};

describe('in an application', () => {
  it('the standard policy starts without a warning', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const app = await start({ providers: [PaymentsClient] }, MODULE);
    expect(app.get(ResilienceExecutor).describe('PaymentsClient.find').split('\n')[0]).toBe(
      "PaymentsClient.find: deadline 30 s > up to 4 attempts (0.5 s × 2, at most 10 s, full jitter) > circuit breaker 'payments' > rate limits (waits up to 60 s) > timeout 10 s > method",
    );
    expect(app.get(ResilienceExecutor).describe('PaymentsClient.charge').split('\n')[0]).toBe(
      "PaymentsClient.charge: deadline 30 s > circuit breaker 'payments' > rate limits (waits up to 60 s) > timeout 10 s > method; else fallback later",
    );
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it('the breaker is registered with its rule', async () => {
    const { client, clock, breakers } = await application(PaymentsClient, MODULE);
    client.answers = [failureWith(404), failureWith(429), failureWith(503)];
    for (let calls = 0; calls < 3; calls += 1) await clock.settle(client.charge());
    expect(breakers.get('payments').snapshot()).toMatchObject({ state: 'closed', failureCount: 1 });
    client.answers = [failureWith(500)];
    expect(await clock.settle(client.charge())).toBe('queued');
    expect(breakers.get('payments').snapshot()).toMatchObject({ state: 'open', recoveryTimeoutSeconds: 60 });
    expect(client.asked).toBe(4);
  });

  it('the policy is taken by name, and configuration has the last word', async () => {
    const { client, clock, reports } = await application(PaymentsClient, {
      ...MODULE,
      operations: {
        'PaymentsClient.find': { retries: '0' },
        'PaymentsClient.list': { maxRateLimitWait: '5s' },
      },
    });
    client.answers = [failureWith(429)];
    await clock.settle(client.find().catch(() => undefined));
    client.answers = [failureWith(429, { 'Retry-After': '6' })];
    await clock.settle(client.list().catch(() => undefined));
    client.answers = [failureWith(429, { 'Retry-After': '5' })];
    await clock.settle(client.list());
    expect(
      reports.map(({ attemptCount, metadata }) => [attemptCount, metadata.rate_limit_wait_seconds]),
    ).toEqual([
      [1, 0],
      [1, 0],
      [2, 5],
    ]);
  });

  it('a POST to which configuration grants retries is not repeated after a timeout, and start-up says what it means', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    await start(
      { providers: [PaymentsClient] },
      { ...MODULE, operations: { 'PaymentsClient.charge': { retries: 2 } } },
    );
    expect(warned.mock.calls.map(([text]) => String(text))).toEqual([
      expect.stringContaining('PaymentsClient.charge says idempotent: false and is retried'),
    ]);
    warned.mockRestore();
  });

  it('forFeature and a factory take the settings, too', async () => {
    const feature = ResilienceModule.forFeature({ circuitBreakers: [httpCircuitBreaker('payments')] });
    const app = await start(
      { imports: [feature], providers: [PaymentsClient] },
      { policies: MODULE.policies },
    );
    expect(app.get(CircuitBreakerRegistry).get('payments').failureThreshold).toBe(5);
  });
});
