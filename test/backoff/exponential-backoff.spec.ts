import { describe, expect, it, jest } from '@jest/globals';
import { ConfigurationError, ExponentialBackoff, type ExponentialBackoffOptions } from '../../lib/index.js';
import { mistakeOf } from '../support/mistake-of.js';

function delays(options: ExponentialBackoffOptions, count: number): number[] {
  const backoff = new ExponentialBackoff(options);
  return Array.from({ length: count }, (_, index) => backoff.delayForRetry(index + 1, () => 0.5));
}

function mistakeIn(options: ExponentialBackoffOptions): ConfigurationError {
  return mistakeOf(() => new ExponentialBackoff(options));
}

describe('an exponential backoff', () => {
  it('without jitter waits 0.5, 1, 2, 2 for base 0.5 and maximum 2 [R6]', () => {
    expect(delays({ baseDelay: 0.5, maxDelay: 2, multiplier: 2, jitter: false }, 4)).toEqual([0.5, 1, 2, 2]);
  });

  it('has base 0.1, maximum 10, multiplier 2 and full jitter unless told otherwise [R20]', () => {
    expect(new ExponentialBackoff()).toMatchObject({
      baseDelaySeconds: 0.1,
      maxDelaySeconds: 10,
      multiplier: 2,
      jitter: true,
    });
    expect(delays({}, 2)).toEqual([0.05, 0.1]);
    expect(
      delays({ baseDelay: undefined, maxDelay: undefined, multiplier: undefined, jitter: undefined }, 1),
    ).toEqual([0.05]);
  });

  it('takes durations with a unit', () => {
    expect(delays({ baseDelay: '250ms', maxDelay: '1m', multiplier: 10, jitter: false }, 4)).toEqual([
      0.25, 2.5, 25, 60,
    ]);
  });

  it('with a base of zero waits zero and draws no random number [R9]', () => {
    const random = jest.fn(() => 0.5);
    for (const jitter of [true, 'equal', 'decorrelated', { percent: 50 }] as const) {
      const backoff = new ExponentialBackoff({ baseDelay: 0, jitter, random });
      expect(backoff.delayForRetry(1, random)).toBe(0);
      expect(backoff.delayForRetry(1_100, random)).toBe(0); // D5: 0 · Infinity is no number
    }
    expect(new ExponentialBackoff({ baseDelay: 0, maxDelay: 0, jitter: false }).delayForRetry(3)).toBe(0);
    expect(random).not.toHaveBeenCalled();
  });

  it('prefers a random source of its own to that of the call, and falls back to the platform', () => {
    const own = new ExponentialBackoff({ baseDelay: 1, random: () => 0.25 });
    expect(own.delayForRetry(1, () => 0.75)).toBe(0.25);
    const spy = jest.spyOn(Math, 'random').mockReturnValue(0.5);
    expect(new ExponentialBackoff({ baseDelay: 1 }).delayForRetry(1)).toBe(0.5);
    spy.mockRestore();
  });

  // B107
  it('keeps nothing between calls: the first delay of the next call is that of a first retry', () => {
    const backoff = new ExponentialBackoff({ baseDelay: 1, maxDelay: 100, jitter: 'decorrelated' });
    for (let retry = 1; retry <= 10; retry += 1) backoff.delayForRetry(retry, () => 0.9);
    expect(backoff.delayForRetry(1, () => 0.9)).toBeCloseTo(1 + 2 * 0.9);
  });

  it('refuses a negative base delay [R12]', () => {
    expect(mistakeIn({ baseDelay: -0.1 })).toMatchObject({
      option: 'baseDelay',
      problem: 'is the number -0.1',
    });
  });

  it('refuses a negative maximum delay [R13]', () => {
    expect(mistakeIn({ maxDelay: -1 })).toMatchObject({ option: 'maxDelay', problem: 'is the number -1' });
  });

  it('refuses a multiplier below one [R14]', () => {
    expect(mistakeIn({ multiplier: 0.99 })).toMatchObject({
      option: 'multiplier',
      cure: 'give a number of 1 or more',
    });
    expect(delays({ baseDelay: 2, multiplier: 1, jitter: false }, 3)).toEqual([2, 2, 2]);
  });

  it('refuses a base delay above the maximum [R15]', () => {
    expect(mistakeIn({ baseDelay: 3, maxDelay: '2s' })).toMatchObject({
      option: 'baseDelay',
      problem: 'is 3 s, above maxDelay (2 s)',
      cure: 'lower it, or raise maxDelay',
    });
    expect(mistakeIn({ maxDelay: 0.05 }).option).toBe('baseDelay'); // the default base is above it
    expect(delays({ baseDelay: 2, maxDelay: 2, jitter: false }, 2)).toEqual([2, 2]);
  });

  it.each([0, -1, 1.5, NaN, Infinity, true, '1', undefined])(
    'refuses the retry number %p [R16]',
    (retryNumber) => {
      const backoff = new ExponentialBackoff();
      expect(() => backoff.delayForRetry(retryNumber as number)).toThrow(ConfigurationError);
      expect(() => backoff.delayForRetry(retryNumber as number)).toThrow(
        /^retryNumber is .*; give a whole number, 1 or more$/,
      );
    },
  );

  it.each([
    ['baseDelay', NaN],
    ['baseDelay', Infinity],
    ['baseDelay', true],
    ['baseDelay', null],
    ['baseDelay', '1 sec'],
    ['maxDelay', Infinity],
    ['maxDelay', null],
    ['multiplier', NaN],
    ['multiplier', Infinity],
    ['multiplier', true],
    ['multiplier', '2'],
    ['multiplier', null],
    ['jitter', 'full'],
    ['jitter', 1],
    ['jitter', null],
    ['jitter', {}],
    ['jitter.percent', { percent: 101 }],
    ['jitter.percent', { percent: -1 }],
    ['jitter.percent', { percent: NaN }],
    ['jitter.percent', { percent: '10' }],
    ['random', 0.5],
    ['random', null],
  ])('refuses a %s of %p', (path, value) => {
    const [option] = path.split('.') as [string];
    expect(mistakeIn({ [option]: value }).option).toBe(path);
  });

  it('says which jitters there are to one that it does not know', () => {
    expect(mistakeIn({ jitter: 'full' } as object).message).toBe(
      "jitter is a string; give true, false, 'equal', 'decorrelated' or { percent: 10 }",
    );
  });

  it('names the option that a misspelt one was meant to be', () => {
    expect(mistakeIn({ maxdelay: 5 } as object).message).toBe(
      'maxdelay is not an option here; did you mean maxDelay?',
    );
    expect(mistakeIn([] as object).message).toBe('backoff is an empty list; give an object of options');
  });
});
