import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import {
  CircuitBreaker,
  ExponentialBackoff,
  Resilient,
  RetryPolicy,
  TimeoutPolicy,
  type MethodOptions,
} from '../../lib/index.js';
import type { ResilienceModuleOptions } from '../../nest-module/index.js';
import { warningsOf } from './configuration-support.js';

const retryOn = [TypeError];

async function textsOf(decorator: MethodOptions, options: ResilienceModuleOptions = {}) {
  @Injectable()
  class Client {
    @Resilient(decorator as object)
    async call(): Promise<void> {}
  }
  const warnings = await warningsOf({ providers: [Client] }, options);
  return warnings.filter(([, code]) => code === 'duration-in-milliseconds').map(([text]) => text);
}

/** The text for an option with the number 5000. */
const suspect = (place: string, option: string): string =>
  `${place}: ${option} is 5000 seconds; write '5000ms' if milliseconds are meant, '5000s' if not`;

describe('a bare number of 1,000 or more is asked about', () => {
  it.each<[string, MethodOptions, ResilienceModuleOptions, string]>([
    ['a timeout', { timeout: 5_000 }, {}, suspect('Client.call', 'timeout')],
    ['a timeout policy', { timeout: new TimeoutPolicy(5_000) }, {}, suspect('Client.call', 'timeout')],
    ['a deadline', { deadline: 5_000 }, {}, suspect('Client.call', 'deadline')],
    [
      'the longest wait for rate limits',
      { maxRateLimitWait: 5_000, rateLimitOn: retryOn, retries: 1, retryOn },
      {},
      suspect('Client.call', 'maxRateLimitWait'),
    ],
    [
      'a back-off',
      { retries: 1, retryOn, backoff: new ExponentialBackoff({ maxDelay: 5_000 }) },
      {},
      suspect('Client.call', 'backoff.maxDelay'),
    ],
    [
      'a back-off in a retry policy',
      { retry: new RetryPolicy({ retryOn, backoff: new ExponentialBackoff({ maxDelay: 5_000 }) }) },
      {},
      suspect('Client.call', 'backoff.maxDelay'),
    ],
    ['a default', {}, { defaults: { timeout: 5_000 } }, suspect('ResilienceModule.defaults', 'timeout')],
    [
      'a named policy, used or not',
      {},
      { policies: { slow: { deadline: 5_000 } } },
      suspect("ResilienceModule.policies['slow']", 'deadline'),
    ],
    [
      'an entry of operations',
      {},
      { operations: { 'Client.call': { backoff: { baseDelay: 5_000, maxDelay: '2h' }, retries: 0 } } },
      suspect("ResilienceModule.operations['Client.call']", 'backoff.baseDelay'),
    ],
    [
      'the recovery time of a circuit breaker',
      {},
      { circuitBreakers: [{ name: 'db', recoveryTimeout: 5_000 }] },
      suspect("circuit breaker 'db'", 'recoveryTimeout'),
    ],
  ])('%s', async (_name, decorator, options, text) => {
    expect(await textsOf(decorator, options)).toEqual([text]);
  });

  it('from 1,000 on', async () => {
    expect(await textsOf({ timeout: 1_000 })).toHaveLength(1);
    expect(await textsOf({ timeout: 999.9 })).toEqual([]);
  });

  it('in every place that says it, where one hides the other', async () => {
    const texts = await textsOf({ timeout: 5_000 }, { defaults: { timeout: 5_000 } });
    expect(texts).toEqual([
      suspect('Client.call', 'timeout'),
      suspect('ResilienceModule.defaults', 'timeout'),
    ]);
  });

  it('under two delays of one back-off, of each', async () => {
    const backoff = new ExponentialBackoff({ baseDelay: 5_000, maxDelay: 5_000 });
    expect(await textsOf({ retries: 1, retryOn, backoff })).toEqual([
      suspect('Client.call', 'backoff.baseDelay'),
      suspect('Client.call', 'backoff.maxDelay'),
    ]);
  });
});

describe('text has its unit and is believed', () => {
  it.each<[string, MethodOptions, ResilienceModuleOptions]>([
    ['in a decorator', { timeout: '2h', deadline: '5000s' }, {}],
    ['in a timeout policy', { timeout: new TimeoutPolicy('2h') }, {}],
    [
      'in a back-off',
      { retries: 1, retryOn, backoff: new ExponentialBackoff({ baseDelay: '20m', maxDelay: '2h' }) },
      {},
    ],
    [
      'in configuration',
      {},
      {
        defaults: { deadline: '2h', retryOn },
        policies: { slow: { backoff: { baseDelay: '20m', maxDelay: '2h' } } },
        circuitBreakers: [{ name: 'db', recoveryTimeout: '1h' }, new CircuitBreaker({ name: 'own' })],
      },
    ],
    ['and what is switched off is no number', { timeout: false, deadline: false, retry: false }, {}],
    [
      'nor is the back-off of an application',
      { retries: 1, retryOn, backoff: { delayForRetry: () => 5_000 } },
      {},
    ],
  ])('%s', async (_name, decorator, options) => {
    expect(await textsOf(decorator, options)).toEqual([]);
  });
});
