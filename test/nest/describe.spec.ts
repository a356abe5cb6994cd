import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import {
  CircuitBreaker,
  fallbackChain,
  isRetryableHttp,
  Resilient,
  RetryPolicy,
  type MethodOptions,
} from '../../lib/index.js';
import { ResilienceExecutor, type ResilienceModuleOptions } from '../../nest-module/index.js';
import { start } from './support.js';

async function executorOf(decorator: MethodOptions, options: ResilienceModuleOptions) {
  @Injectable()
  class PaymentsClient {
    @Resilient(decorator as object)
    async charge(): Promise<void> {}

    async queueForLater(): Promise<void> {}
  }
  const circuitBreakers = [{ name: 'payments' }, { name: 'backup' }];
  const app = await start({ providers: [PaymentsClient] }, { circuitBreakers, ...options });
  return app.get(ResilienceExecutor);
}

const described = async (decorator: MethodOptions, options: ResilienceModuleOptions) =>
  (await executorOf(decorator, options)).describe('PaymentsClient.charge').split('\n');

describe('executor.describe says', () => {
  it('all policies, and for each option its value, its layer, and what it hides', async () => {
    const lines = await described(
      {
        retries: 3,
        retryOn: isRetryableHttp,
        timeout: '10s',
        circuitBreaker: 'payments',
        fallback: 'queueForLater',
        use: 'upstream',
      },
      {
        defaults: { timeout: '30s', deadline: 60 },
        policies: { upstream: { timeout: '20s', circuitBreaker: 'backup' } },
        operations: { 'PaymentsClient.charge': { retries: '5', timeout: '2s' } },
      },
    );
    expect(lines).toEqual([
      "PaymentsClient.charge: deadline 60 s > up to 6 attempts (0.1 s × 2, at most 10 s, full jitter) > circuit breaker 'payments' > timeout 2 s > method; else fallback queueForLater",
      '  retries 5 (operations), over 3 (decorator)',
      '  retryOn isRetryableHttp (decorator)',
      "  timeout '2s' (operations), over '10s' (decorator), '20s' (policy 'upstream'), '30s' (defaults)",
      '  deadline 60 (defaults)',
      "  circuitBreaker 'payments' (decorator), over 'backup' (policy 'upstream')",
      "  fallback 'queueForLater' (decorator)",
      "  use 'upstream' (decorator)",
    ]);
  });

  it('what a policy object hides of a group, by the names of the options', async () => {
    const [summary, ...lines] = await described(
      { retry: new RetryPolicy({ maxAttempts: 2, backoff: { delayForRetry: () => 1 } }) },
      { defaults: { retries: 4, retryOn: [TypeError, RangeError] } },
    );
    expect(summary).toBe('PaymentsClient.charge: up to 2 attempts > method');
    expect(lines).toEqual([
      '  retry RetryPolicy (decorator), over retries 4 (defaults), retryOn [TypeError, RangeError] (defaults)',
    ]);
  });

  it('what simple options hide of a policy object', async () => {
    const lines = await described(
      { retries: 1, retryOn: () => true, fallback: 'queueForLater' },
      { defaults: { retry: new RetryPolicy(), fallbacks: fallbackChain(['cache', () => undefined]) } },
    );
    expect(lines.slice(1)).toEqual([
      '  retries 1 (decorator), over retry RetryPolicy (defaults)',
      '  retryOn a function (decorator)',
      "  fallback 'queueForLater' (decorator), over fallbacks FallbackChain (defaults)",
    ]);
  });

  it('what is switched off, and where', async () => {
    const lines = await described(
      { timeout: '1s', circuitBreaker: new CircuitBreaker({ name: 'own' }), use: 'p' },
      {
        policies: { p: { deadline: 9 } },
        operations: {
          'PaymentsClient.charge': { timeout: false, circuitBreaker: 'false', use: 'false', retries: 0 },
        },
      },
    );
    expect(lines).toEqual([
      'PaymentsClient.charge: method',
      '  retries 0 (operations)',
      "  timeout false (operations), over '1s' (decorator)",
      "  circuitBreaker false (operations), over CircuitBreaker 'own' (decorator)",
      "  use false (operations), over 'p' (decorator)",
    ]);
  });

  it('nothing more of an operation that nobody says anything about', async () => {
    expect(await described({}, {})).toEqual(['PaymentsClient.charge: method']);
  });
});

describe('executor.descriptionOf', () => {
  it('gives the same as data that can be written as JSON', async () => {
    const executor = await executorOf(
      { timeout: 10, validate: [() => true] },
      { defaults: { timeout: '30s' }, operations: { 'PaymentsClient.charge': { backoff: {}, retries: 1 } } },
    );
    const description = executor.descriptionOf('PaymentsClient.charge');
    expect(description).toEqual({
      operationName: 'PaymentsClient.charge',
      summary:
        'PaymentsClient.charge: up to 2 attempts (0.1 s × 2, at most 10 s, full jitter) > validation > timeout 10 s > method',
      options: [
        { option: 'retries', value: '1', from: 'operations', over: [] },
        { option: 'backoff', value: 'ExponentialBackoff', from: 'operations', over: [] },
        {
          option: 'timeout',
          value: '10',
          from: 'decorator',
          over: [{ option: 'timeout', value: "'30s'", from: 'defaults' }],
        },
        { option: 'validate', value: '[a function]', from: 'decorator', over: [] },
      ],
    });
    expect(JSON.parse(JSON.stringify(description))).toEqual(description);
  });

  it('knows what is loaded late once it has been called', async () => {
    @Injectable()
    class LateClient {
      @Resilient({ timeout: '1s' })
      async call(): Promise<void> {}
    }
    class LateModule {}
    const app = await start({});
    const executor = app.get(ResilienceExecutor);
    const loaded = await app
      .get(LazyModuleLoader)
      .load(() => ({ module: LateModule, providers: [LateClient] }));
    expect(executor.operationNames()).toEqual([]);
    await loaded.get(LateClient).call();
    expect(executor.operationNames()).toEqual(['LateClient.call']);
    expect(executor.describe('LateClient.call')).toContain("timeout '1s' (decorator)");
  });

  it('knows the layer of a base class that a subclass calls once it has been called', async () => {
    class Base {
      @Resilient({ timeout: '1s' })
      async call(): Promise<void> {}
    }
    @Injectable()
    class Client extends Base {
      @Resilient({ deadline: '2s' })
      override async call(): Promise<void> {
        await super.call();
      }
    }
    const app = await start({ providers: [Client] });
    const executor = app.get(ResilienceExecutor);
    expect(executor.operationNames()).toEqual(['Client.call']);
    await app.get(Client).call();
    expect(executor.operationNames().map((name) => executor.descriptionOf(name).summary)).toEqual([
      'Client.call: deadline 2 s > method',
      'Base.call: timeout 1 s > method',
    ]);
  });
});
