import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import {
  CircuitBreaker,
  ExponentialBackoff,
  fallbackChain,
  RateLimitPolicy,
  Resilient,
  RetryPolicy,
  TimeoutPolicy,
  validationPolicy,
  validator,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  RESILIENCE_CLOCK,
  ResilienceExecutor,
  ResilienceModule,
  type BackoffConfiguration,
  type PolicyConfiguration,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { start } from './support.js';

@Injectable()
class Client {
  calls = 0;

  @Resilient('upstream')
  async call(): Promise<never> {
    this.calls += 1;
    throw new TypeError('down');
  }
}

async function summaryOf(options: ResilienceModuleOptions): Promise<string> {
  const app = await start({ providers: [Client] }, { policies: { upstream: {} }, ...options });
  return app.get(ResilienceExecutor).descriptionOf('Client.call').summary.replace('Client.call: ', '');
}

describe('a back-off may be data', () => {
  const upTo2 = (backoff: string): string => `up to 2 attempts (${backoff}) > method`;

  it.each<[PolicyConfiguration['backoff'], string]>([
    [{}, '0.1 s × 2, at most 10 s, full jitter'],
    [{ baseDelay: 1, maxDelay: 60, multiplier: 3, jitter: false }, '1 s × 3, at most 60 s, no jitter'],
    [
      { baseDelay: '250ms', maxDelay: '1m', multiplier: '1.5', jitter: 'false' },
      '0.25 s × 1.5, at most 60 s, no jitter',
    ],
    [{ jitter: 'true' }, '0.1 s × 2, at most 10 s, full jitter'],
    [{ jitter: 'equal', baseDelay: undefined }, '0.1 s × 2, at most 10 s, equal jitter'],
    [{ jitter: { percent: 10 } }, '0.1 s × 2, at most 10 s, 10 % jitter'],
    [{ jitter: { percent: '12.5' } }, '0.1 s × 2, at most 10 s, 12.5 % jitter'],
    [new ExponentialBackoff({ baseDelay: 2 }), '2 s × 2, at most 10 s, full jitter'],
  ])('such as %j', async (backoff, expected) => {
    expect(await summaryOf({ defaults: { retries: 1, backoff } })).toBe(upTo2(expected));
    expect(await summaryOf({ policies: { upstream: { retries: '1', backoff } } })).toBe(upTo2(expected));
    if (backoff instanceof ExponentialBackoff) return;
    const operations = { 'Client.call': { retries: 1, backoff: backoff as BackoffConfiguration } };
    expect(await summaryOf({ operations })).toBe(upTo2(expected));
  });

  it('that calls wait by', async () => {
    const clock = new FakeClock();
    const upstream = {
      retries: '2',
      backoff: { baseDelay: '1500ms', multiplier: '2', jitter: 'false' },
    } as const;
    const app = await start({ providers: [Client] }, { policies: { upstream } }, (builder) =>
      builder.overrideProvider(RESILIENCE_CLOCK).useValue(clock),
    );
    await expect(clock.settle(app.get(Client).call())).rejects.toThrow('down');
    expect([app.get(Client).calls, clock.monotonicMs()]).toEqual([3, 4_500]);
  });

  it.each<[unknown, string]>([
    [[], 'backoff.delayForRetry is undefined; give a function'],
    ['exponential', 'backoff is a string; give a Backoff'],
    [null, 'backoff is null; give a Backoff'],
    [Promise.resolve({}), 'backoff.delayForRetry is undefined; give a function'],
    [{ baseDely: 1 }, 'baseDely is not an option here; did you mean baseDelay?'],
    [{ baseDelay: '100' }, 'baseDelay is a string; give seconds as a number of 0 or more'],
    [{ multiplier: '2x' }, 'multiplier is a string; give a number of 1 or more'],
    [{ multiplier: '' }, 'multiplier is a blank string; give a number of 1 or more'],
    [{ multiplier: '0.5' }, 'multiplier is the number 0.5; give a number of 1 or more'],
    [{ jitter: 'full' }, 'jitter is a string; give true, false'],
    [{ jitter: { percent: '101' } }, 'jitter.percent is the number 101; give a number from 0 to 100'],
    [{ jitter: [] }, 'jitter is an empty list; give true, false'],
    [{ baseDelay: '1m' }, 'baseDelay is 60 s, above maxDelay (10 s); lower it, or raise maxDelay'],
  ])('not as %j', (backoff, message) => {
    for (const options of [
      { defaults: { retries: 1, backoff } },
      { operations: { 'Client.call': { backoff } } },
    ]) {
      const mistake = mistakeOf(() => ResilienceModule.forRoot(options as ResilienceModuleOptions));
      expect(mistake.message).toMatch(/^ResilienceModule\.(defaults|operations\['Client\.call'\]): /);
      expect(mistake.message.split(': ').slice(1).join(': ').slice(0, message.length)).toBe(message);
    }
  });
});

describe('operations take data alone', () => {
  const failure = (): boolean => true;

  it.each<[string, unknown, string]>([
    ['retryOn', failure, 'a function'],
    ['retryOn', [TypeError], 'a list'],
    ['retry', new RetryPolicy(), 'an object'],
    ['backoff', new ExponentialBackoff(), 'an object'],
    ['timeout', new TimeoutPolicy(1), 'an object'],
    ['circuitBreaker', new CircuitBreaker(), 'an object'],
    ['circuitBreaker', () => 'a', 'a function'],
    ['fallback', failure, 'a function'],
    ['fallbacks', fallbackChain(['a', failure]), 'an object'],
    ['fallbackOn', failure, 'a function'],
    ['rateLimitOn', failure, 'a function'],
    ['retryAfter', failure, 'a function'],
    ['rateLimit', new RateLimitPolicy({ rateLimitOn: failure }), 'an object'],
    ['validate', failure, 'a function'],
    ['validation', validationPolicy(validator('v', failure, { message: 'm' })), 'an object'],
    ['signal', failure, 'a function'],
    ['onReport', failure, 'a function'],
  ])('so %s may not be %p', (option, value, kind) => {
    const operations = { 'Client.call': { [option]: value } } as ResilienceModuleOptions['operations'];
    expect(mistakeOf(() => ResilienceModule.forRoot({ operations })).message).toBe(
      `ResilienceModule.operations['Client.call']: ${option} is ${kind}; give data here; functions and policy objects belong to the decorator or to policies`,
    );
  });

  it('and no name, which is what an entry is found by', () => {
    const operations = { 'Client.call': { name: 'other' } } as ResilienceModuleOptions['operations'];
    expect(() => ResilienceModule.forRoot({ operations })).toThrow('name is not an option here');
  });

  it.each<[unknown, string]>([
    [[], 'an empty list'],
    [new Map(), 'a Map'],
    ['Client.call', 'a string'],
    [null, 'null'],
  ])('and operations and policies are no %p', (entries, kind) => {
    for (const option of ['operations', 'policies'])
      expect(() => ResilienceModule.forRoot({ [option]: entries })).toThrow(
        `ResilienceModule: ${option} is ${kind}; give an object whose keys are the names`,
      );
  });
});
