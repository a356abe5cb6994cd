import { describe, expect, it } from '@jest/globals';
import { Injectable, Module, Scope, type Type } from '@nestjs/common';
import {
  CircuitBreakerOpenError,
  fallbackChain,
  isRetryableHttp,
  OperationTimeoutError,
  Resilient,
  RetryPolicy,
  ValidationFailedError,
  type MethodOptions,
} from '../../lib/index.js';
import { ResilienceModule, type ResilienceModuleOptions } from '../../nest-module/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { codesOf, warningsOf } from './configuration-support.js';

const circuitBreakers = [{ name: 'payments' }];
const now = { delayForRetry: () => 0 };
const retryOn = isRetryableHttp;

function clientWith(options: MethodOptions): Type {
  @Injectable()
  class Client {
    @Resilient(options as object)
    async call(): Promise<void> {}

    async stand(): Promise<void> {}
  }
  return Client;
}

type Given = readonly [MethodOptions, ResilienceModuleOptions?];

const warned = ([decorator, options]: Given) =>
  warningsOf({ providers: [clientWith(decorator)] }, { circuitBreakers, ...options });

/** For each code: what warns of it with which text, and what nearly does. */
const CASES: Record<string, { readonly warns: [Given, string][]; readonly near: Given[] }> = {
  'retries-without-retry-on': {
    warns: [
      [
        [{ retries: 1 }],
        'Client.call retries every failure, its own programming errors too; say which are worth it: retryOn: isRetryableHttp, or a list of error classes',
      ],
      [[{ retry: new RetryPolicy() }], 'Client.call retries every failure'],
      [[{}, { defaults: { retries: 1 } }], 'Client.call retries every failure'],
      [[{}, { operations: { 'Client.call': { retries: '1' } } }], 'Client.call retries every failure'],
      [
        [{ retry: new RetryPolicy({ retryOn }) }, { operations: { 'Client.call': { retries: 1 } } }],
        'Client.call retries every failure',
      ],
      [[{ retries: 1, rateLimitOn: [TypeError] }], 'Client.call retries every failure'],
    ],
    near: [
      [{ retries: 1, retryOn }],
      [{ retries: 1 }, { defaults: { retryOn } }],
      [{ use: 'p', retries: 1 }, { policies: { p: { retryOn } } }],
      [{ retries: 0 }],
      [{ retry: new RetryPolicy({ retryOn }) }],
      [{ retries: 1 }, { operations: { 'Client.call': { retries: 0 } } }],
      [{ timeout: 1 }, { policies: { unused: { retries: 1 } } }],
    ],
  },
  'fallback-never-runs': {
    warns: [
      [
        [{ fallback: 'stand', fallbackOn: [CircuitBreakerOpenError] }],
        'Client.call has a fallback that can never run: fallbackOn names only errors of policies that it does not have; add the policy, or name other errors',
      ],
      [
        [{ fallback: 'stand', fallbackOn: [OperationTimeoutError, ValidationFailedError] }],
        'Client.call has a fallback that can never run',
      ],
      [
        [
          { fallback: 'stand', fallbackOn: [CircuitBreakerOpenError], circuitBreaker: 'payments' },
          { operations: { 'Client.call': { circuitBreaker: 'false' } } },
        ],
        'Client.call has a fallback that can never run',
      ],
    ],
    near: [
      [{ fallback: 'stand', fallbackOn: [CircuitBreakerOpenError], circuitBreaker: 'payments' }],
      [{ fallback: 'stand', fallbackOn: [CircuitBreakerOpenError], circuitBreaker: () => 'payments' }],
      [{ fallback: 'stand', fallbackOn: [OperationTimeoutError], deadline: 1 }],
      [{ fallback: 'stand', fallbackOn: [OperationTimeoutError] }, { defaults: { timeout: 1 } }],
      [{ fallback: 'stand', fallbackOn: [ValidationFailedError], validate: () => true }],
      [{ fallback: 'stand', fallbackOn: [CircuitBreakerOpenError, TypeError] }],
      [{ fallback: 'stand', fallbackOn: (error) => error instanceof CircuitBreakerOpenError }],
      [{}, { defaults: { fallbackOn: [CircuitBreakerOpenError] } }],
      [{ fallbacks: fallbackChain(['a', () => undefined], { fallbackOn: [TypeError] }) }],
    ],
  },
  'waits-beyond-deadline': {
    warns: [
      [
        [{ timeout: '10s', deadline: '10s' }],
        'Client.call has a timeout of 10 s for each try and a deadline of 10 s for all of them, so no try meets its timeout; shorten the timeout, or raise the deadline',
      ],
      [[{ timeout: '10s' }, { defaults: { deadline: 9 } }], 'Client.call has a timeout of 10 s'],
      [
        [{ retries: 3, retryOn, backoff: { delayForRetry: (number) => number }, deadline: 6 }],
        'Client.call waits 6 s on average between its tries, longer than its deadline of 6 s, so the last ones never happen; lower retries or the back-off, or raise the deadline',
      ],
      [
        [{ deadline: '1s' }, { defaults: { retryOn }, operations: { 'Client.call': { retries: '6' } } }],
        'Client.call waits 3.15 s on average',
      ],
      [
        [{ retries: 100_000, retryOn, deadline: '1h', backoff: { delayForRetry: () => 60 } }],
        'Client.call waits',
      ],
    ],
    near: [
      [{ timeout: '9999ms', deadline: '10s' }],
      [{ timeout: '10s', deadline: false }],
      [{ retries: 3, retryOn, backoff: { delayForRetry: (number) => number }, deadline: 6.1 }],
      [{ retries: 9, retryOn, backoff: now, deadline: 1 }],
      [{ retries: 9, retryOn }],
      [
        {
          retries: 1,
          retryOn,
          deadline: 1,
          backoff: {
            delayForRetry() {
              throw new Error('not now');
            },
          },
        },
      ],
      [{ retries: 1, retryOn, deadline: 1, backoff: { delayForRetry: () => Number.NaN } }],
    ],
  },
  'unsafe-retry': {
    warns: [
      [
        [{ retries: 1, retryOn, timeout: 1, idempotent: false }],
        'Client.call says idempotent: false and is retried: after a timeout it is not repeated, but after any other failure that retryOn lets pass it is, although the work may have been done; let retryOn name only failures that come before the work, or give the upstream an idempotency key',
      ],
      [
        [{ retries: 1, retryOn, timeout: 1 }, { operations: { 'Client.call': { idempotent: 'false' } } }],
        'Client.call says idempotent: false',
      ],
    ],
    near: [
      [{ retries: 1, retryOn, timeout: 1, idempotent: true }],
      [{ retries: 1, retryOn, timeout: 1 }],
      [{ retries: 0, timeout: 1, idempotent: false }],
      [{ retries: 1, retryOn, idempotent: false }],
    ],
  },
};

describe.each(Object.entries(CASES))('%s', (code, { warns, near }) => {
  it.each(warns)('is said of %j', async (given, text) => {
    const found = (await warned(given)).filter(([, said]) => said === code);
    expect(found).toHaveLength(1);
    expect(found[0]?.[0].slice(0, text.length)).toBe(text);
  });

  it.each(near.map((given) => [given]))('is not said of %j', async (given) => {
    expect((await warned(given)).map(([, said]) => said)).toEqual([]);
  });

  it('is silenced by its code, and nothing else is', async () => {
    const [[decorator, options]] = warns[0] as [Given, string];
    const bystander = clientWith({ timeout: 5_000 });
    const silenced = { circuitBreakers, ...options, silenceWarnings: [code] } as ResilienceModuleOptions;
    const providers = [clientWith(decorator), { provide: 'bystander', useClass: bystander }];
    const codes = await codesOf({ providers }, silenced);
    expect(codes).toEqual(['duration-in-milliseconds', 'duplicate-operation-name']);
  });
});

describe('warnings are said', () => {
  it('once, of a class that many modules provide and in whatever scope', async () => {
    const Client = clientWith({ retries: 1 });
    @Injectable({ scope: Scope.REQUEST })
    class Scoped extends Client {}
    const modules = [1, 2, 3].map(() => {
      @Module({ providers: [Client, Scoped] })
      class FeatureModule {}
      return FeatureModule;
    });
    const texts = (await warningsOf({ imports: modules })).map(([text]) => text.split(' ')[0]);
    expect(texts).toEqual(['Client.call', 'Scoped.call']);
  });

  it('of nothing when there are mistakes: those come first', async () => {
    const providers = [clientWith({ retries: 1, circuitBreaker: 'nowhere' })];
    await expect(warningsOf({ providers })).rejects.toThrow("circuitBreaker 'nowhere' is not registered");
  });

  it('of no class that is not used', async () => {
    clientWith({ retries: 1 });
    expect(await warningsOf({})).toEqual([]);
  });

  it('all of them, in the order of their codes', async () => {
    const providers = [clientWith({ retries: 9, timeout: 2_000, deadline: 1, idempotent: false })];
    expect(await codesOf({ providers })).toEqual([
      'retries-without-retry-on',
      'duration-in-milliseconds',
      'waits-beyond-deadline',
      'waits-beyond-deadline',
      'unsafe-retry',
    ]);
  });
});

describe('silenceWarnings refuses', () => {
  it.each<[string, unknown, string]>([
    [
      'a code that is none',
      ['retries'],
      'silenceWarnings[0] is a string; give one of retries-without-retry-on, ',
    ],
    ['no code', [undefined], 'silenceWarnings[0] is undefined; give one of '],
    ['one code alone', 'unsafe-retry', 'silenceWarnings is a string; give a list'],
    ['null', null, 'silenceWarnings is null; give a list'],
    ['true', true, 'silenceWarnings is true; give a list'],
  ])('%s', (_name, silenceWarnings, message) => {
    const { message: said } = mistakeOf(() => ResilienceModule.forRoot({ silenceWarnings } as never));
    expect(said).toContain(`ResilienceModule: ${message}`);
  });
});
