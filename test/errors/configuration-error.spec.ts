import { describe, expect, it } from '@jest/globals';
import {
  CircuitBreaker,
  EventEmitter,
  RelPrimError,
  resilient,
  RetryPolicy,
  TimeoutPolicy,
} from '../../lib/index.js';
import { located } from '../../lib/errors/configuration-error.js';
import { nearest } from '../../lib/errors/nearest.js';
import { mistakeOf } from '../support/mistake-of.js';

describe('a configuration error', () => {
  it('names the option, the kind of value and the cure', () => {
    const mistake = mistakeOf(() => new RetryPolicy({ maxAttempts: 0 }));
    expect(mistake).toMatchObject({
      name: 'ConfigurationError',
      code: 'RELPRIM_CONFIGURATION',
      message: 'maxAttempts is the number 0; give a whole number, 1 or more',
      option: 'maxAttempts',
      problem: 'is the number 0',
      cure: 'give a whole number, 1 or more',
      path: undefined,
    });
  });

  it('is a TypeError and no failure of a call', () => {
    const mistake = mistakeOf(() => new RetryPolicy({ maxAttempts: 0 }));
    expect(mistake).toBeInstanceOf(TypeError);
    expect(mistake).not.toBeInstanceOf(RelPrimError);
  });

  it.each<[unknown, string]>([
    [0, 'is the number 0'],
    [-1.5, 'is the number -1.5'],
    [NaN, 'is NaN'],
    [Infinity, 'is Infinity'],
    [-Infinity, 'is -Infinity'],
    [true, 'is true'],
    [null, 'is null'],
    [undefined, 'is undefined'],
    ['', 'is a blank string'],
    [' \n', 'is a blank string'],
    [[], 'is an empty list'],
    [[1], 'is a list'],
    [{}, 'is an object'],
    [Promise.resolve(10), 'is a promise'],
    [() => 10, 'is a function'],
    [10n, 'is a bigint'],
    [Symbol('s'), 'is a symbol'],
  ])('tells the kind of %p', (value, problem) => {
    expect(mistakeOf(() => new TimeoutPolicy(value as number)).problem).toBe(problem);
  });

  it('never repeats a text or shows an object, which may be secrets', () => {
    const secret = 'sk-live-51';
    const builds = [
      () => new TimeoutPolicy(secret as '1s'),
      () => new TimeoutPolicy({ secret } as never),
      () => new RetryPolicy({ maxAttempts: secret as never }),
      () => new RetryPolicy({ retryOn: [secret] as never }),
      () => new RetryPolicy({ backoff: { delayForRetry: secret } as never }),
      () => new EventEmitter({ sinks: [secret] as never }),
      () => new EventEmitter({ sinkErrors: secret as never }),
      () => new CircuitBreaker({ recoveryTimeout: secret as never }),
    ];
    for (const build of builds) expect(mistakeOf(build).message).not.toContain(secret);
  });

  it('says where the option stands, and the deepest place that knows', () => {
    const inner = (): never => located('PaymentsClient.charge', () => new TimeoutPolicy(-1)) as never;
    const mistake = mistakeOf(() => located('PaymentsModule', inner));
    expect(mistake.path).toBe('PaymentsClient.charge');
    expect(mistake.message).toMatch(/^PaymentsClient\.charge: timeout is the number -1; give seconds/);
    expect(mistakeOf(() => resilient({ name: 'charge', timeout: 0 }, async () => 1)).path).toBe('charge');
  });

  it('passes other errors on from a located build', () => {
    const error = new RangeError('of the application');
    const build = (): unknown =>
      located('PaymentsClient.charge', () => {
        throw error;
      });
    expect(build).toThrow(error);
    expect(located('anywhere', () => 42)).toBe(42);
  });

  it('proposes the name that a misspelt one is nearest to, and otherwise lists them', () => {
    expect(mistakeOf(() => new RetryPolicy({ maxAtempts: 3 } as never)).message).toBe(
      'maxAtempts is not an option here; did you mean maxAttempts?',
    );
    expect(mistakeOf(() => new TimeoutPolicy(1, { colour: 'red' } as never)).message).toBe(
      'colour is not an option here; the options are clock',
    );
  });

  it.each([null, 'options', 5, [], () => 1])('refuses %p where options are meant', (options) => {
    expect(mistakeOf(() => new RetryPolicy(options as never)).cure).toBe('give an object of options');
  });

  it.each([
    ['clock', {}],
    ['clock', null],
    ['clock', Date],
    ['random', 0.5],
    ['backoff', 5],
    ['backoff', null],
    ['backoff.delayForRetry', {}],
  ])('refuses a %s of %p', (path, value) => {
    const [option] = path.split('.') as [string];
    expect(mistakeOf(() => new RetryPolicy({ [option]: value })).option).toBe(path);
  });
});

describe('the nearest name', () => {
  it.each([
    ['retires', 'retries'],
    ['TIMEOUT', 'timeout'],
    ['fallbck', 'fallback'],
    ['x', undefined],
    ['circuitbreaker', 'circuitBreaker'],
    ['somethingElse', undefined],
  ])('to %p is %p', (misspelt, meant) => {
    expect(nearest(misspelt, ['retries', 'timeout', 'fallback', 'circuitBreaker'])).toBe(meant);
  });

  it('among none is none', () => {
    expect(nearest('retries', [])).toBeUndefined();
  });
});
