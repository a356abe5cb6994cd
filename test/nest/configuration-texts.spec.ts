import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { ConfigurationError, Resilient, type MethodOptions } from '../../lib/index.js';
import {
  ResilienceExecutor,
  ResilienceModule,
  type ResilienceModuleOptions,
} from '../../nest-module/index.js';
import { mistakeOf } from '../support/mistake-of.js';
import { start } from './support.js';

/** The three places for options outside the code, as an application writes them. */
const PLACES: Record<string, (options: unknown) => ResilienceModuleOptions> = {
  defaults: (options) => ({ defaults: options }) as ResilienceModuleOptions,
  "policies['p']": (options) => ({ policies: { p: options } }) as ResilienceModuleOptions,
  "operations['Client.call']": (options) =>
    ({ operations: { 'Client.call': options } }) as ResilienceModuleOptions,
};
const places = Object.entries(PLACES);

async function summaryOf(
  options: ResilienceModuleOptions,
  decorator: MethodOptions = { use: 'p' },
): Promise<string> {
  @Injectable()
  class Client {
    @Resilient(decorator as object)
    async call(): Promise<void> {}

    async stand(): Promise<void> {}
  }
  const app = await start({ providers: [Client] }, { policies: { p: {} }, ...options });
  return app.get(ResilienceExecutor).descriptionOf('Client.call').summary.replace('Client.call: ', '');
}

const COUNT = 'give a whole number, 0 or more';
const DURATION = "give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'";

describe.each(places)('in %s', (where, settings) => {
  const refused = (options: unknown): string =>
    mistakeOf(() => ResilienceModule.forRoot(settings(options))).message;

  // B186
  it.each([
    ['0', 'method'],
    ['3', 'up to 4 attempts (0.1 s × 2, at most 10 s, full jitter) > method'],
    ['12', 'up to 13 attempts (0.1 s × 2, at most 10 s, full jitter) > method'],
  ])('retries may be the digits %j', async (retries, expected) => {
    expect(await summaryOf(settings({ retries }))).toBe(expected);
  });

  // B186
  it.each([
    ...['abc', '-1', '1.5', '1e3', ' 3 ', '3 ', '0x10', '٣', 'true', 'false', '03', '+3', '3s', 'NaN'].map(
      (text): [unknown, string] => [text, 'a string'],
    ),
    ['', 'a blank string'],
    [' ', 'a blank string'],
    ['9007199254740993', 'the number 9007199254740992'],
    [Number.NaN, 'NaN'],
    [null, 'null'],
    [true, 'true'],
    [['3'], 'a list'],
  ])('retries are refused as %j', (retries, kind) => {
    expect(refused({ retries })).toBe(`ResilienceModule.${where}: retries is ${kind}; ${COUNT}`);
  });

  it.each([
    ['250ms', 0.25],
    ['1.5s', 1.5],
    ['2m', 120],
    ['1h', 3_600],
    [2.5, 2.5],
  ])('timeout and deadline may be %j', async (duration, seconds) => {
    expect(await summaryOf(settings({ timeout: duration, deadline: duration }))).toBe(
      `deadline ${seconds} s > timeout ${seconds} s > method`,
    );
  });

  it.each([
    ...['10', '1e3s', '-1s', '10 s', ' 10s', '10S', '.5s', '1_000ms', 'PT5S', 'Infinity', '١s', 'true'].map(
      (text): [unknown, string] => [text, 'a string'],
    ),
    ['0s', 'a string'],
    [`${'9'.repeat(400)}s`, 'a string'],
    ['', 'a blank string'],
    [0, 'the number 0'],
    [-1, 'the number -1'],
    [null, 'null'],
  ])('timeout and deadline are refused as %j', (duration, kind) => {
    expect(refused({ timeout: duration })).toBe(`ResilienceModule.${where}: timeout is ${kind}; ${DURATION}`);
    expect(refused({ deadline: duration })).toBe(
      `ResilienceModule.${where}: deadline is ${kind}; ${DURATION}`,
    );
  });

  it('a wait for rate limits may be text, and 0', async () => {
    const decorator = { use: 'p', rateLimitOn: [TypeError] };
    for (const [maxRateLimitWait, seconds] of [['90s', 90] as const, [0, 0] as const])
      expect(await summaryOf(settings({ maxRateLimitWait }), decorator)).toBe(
        `rate limits (waits up to ${seconds} s) > method`,
      );
    expect(refused({ maxRateLimitWait: '90' })).toMatch(/: maxRateLimitWait is a string; give seconds/);
  });

  it.each([true, 'true', false, 'false'])('idempotent may be %j', async (idempotent) => {
    await expect(summaryOf(settings({ idempotent }))).resolves.toBe('method');
  });

  it.each([
    ['yes', 'a string'],
    ['TRUE', 'a string'],
    ['', 'a blank string'],
    ['1', 'a string'],
    [0, 'the number 0'],
  ])('idempotent is refused as %j', (idempotent, kind) => {
    expect(refused({ idempotent })).toBe(
      `ResilienceModule.${where}: idempotent is ${kind}; give true or false`,
    );
  });

  it('a misspelt option is named with the one that was meant', () => {
    expect(refused({ timout: '1s' })).toBe(
      `ResilienceModule.${where}: timout is not an option here; did you mean timeout?`,
    );
  });

  it.each([
    ['a list', [], 'an empty list'],
    ['a map', new Map([['timeout', '1s']]), 'a Map'],
    ['a promise that nobody awaited', Promise.resolve({ timeout: '1s' }), 'a promise'],
    ['text', '{"timeout":"1s"}', 'a string'],
    ['null, as an empty entry of a YAML file is', null, 'null'],
  ])('options are refused that are %s', (_name, options, kind) => {
    expect(refused(options)).toBe(`ResilienceModule.${where}: options is ${kind}; give an object of options`);
  });

  it('nothing comes of entries that are undefined', async () => {
    const nothing = { retries: undefined, timeout: undefined, backoff: undefined, circuitBreaker: undefined };
    expect(await summaryOf(settings(nothing), { use: 'p', timeout: '9s' })).toBe('timeout 9 s > method');
  });
});

describe("'false' is text for false", () => {
  const circuitBreakers = [{ name: 'a' }];
  const on = {
    timeout: 1,
    deadline: 9,
    circuitBreaker: 'a',
    fallback: 'stand',
    validate: () => true,
    rateLimitOn: [TypeError],
    retries: 1,
  };
  const off = {
    timeout: 'false',
    deadline: 'false',
    circuitBreaker: 'false',
    fallback: 'false',
    validate: 'false',
    rateLimit: 'false',
    retry: 'false',
  } as const;

  it('for every policy that can be switched off', async () => {
    expect(await summaryOf({ circuitBreakers, operations: { 'Client.call': off } }, on)).toBe('method');
    expect(await summaryOf({ circuitBreakers, defaults: on, policies: { p: off } })).toBe('method');
    const whole = { fallbacks: 'false', validation: 'false' } as const;
    expect(
      await summaryOf({ operations: { 'Client.call': whole } }, { fallback: 'stand', validate: () => true }),
    ).toBe('method');
  });

  it('and for nothing else: a name that says true is a name', async () => {
    await expect(
      summaryOf({ circuitBreakers, operations: { 'Client.call': { circuitBreaker: 'true' } } }),
    ).rejects.toThrow("Client.call: circuitBreaker 'true' is not registered");
  });
});

describe('the threshold of a circuit breaker', () => {
  const withBreaker = (breaker: object) => () =>
    ResilienceModule.forRoot({ circuitBreakers: [{ name: 'a', ...breaker }] });

  it.each(['', 'abc', '-1', '1.5', '1e3', ' 3 ', '0x10', '٣', '0', 'Infinity'])(
    'is refused as %j',
    (text) => {
      expect(withBreaker({ failureThreshold: text })).toThrow(ConfigurationError);
      expect(withBreaker({ failureThreshold: text })).toThrow(
        /circuitBreakers\[0\]: failureThreshold of circuit breaker 'a' is .*; give a whole number, 1 or more/,
      );
    },
  );

  it('may be digits, and its recovery time text with a unit', () => {
    expect(withBreaker({ failureThreshold: '3', recoveryTimeout: '1m' })).not.toThrow();
    expect(withBreaker({ recoveryTimeout: '30' })).toThrow(
      /recoveryTimeout of circuit breaker 'a' is a string/,
    );
  });
});

// B184
it('undefined in a decorator and in operations leaves what a lower layer says', async () => {
  const silent = { retries: undefined, timeout: undefined, backoff: undefined };
  const defaults = { retries: 2, backoff: { baseDelay: 1, jitter: false }, timeout: '3s' };
  expect(await summaryOf({ defaults, operations: { 'Client.call': silent } }, silent)).toBe(
    'up to 3 attempts (1 s × 2, at most 10 s, no jitter) > timeout 3 s > method',
  );
});
