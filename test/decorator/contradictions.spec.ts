import { describe, expect, it } from '@jest/globals';
import {
  asyncOperation,
  fallbackChain,
  resilient,
  RetryPolicy,
  validationPolicy,
  validator,
} from '../../lib/index.js';
import { decoratorMistake, expectRefusal, functionMistake, method } from './refusals.js';
import { mistakeOf } from './support.js';

const isTrue = validator('isTrue', (value: unknown) => value === true, { message: 'must be true' });
const validation = validationPolicy(isTrue);
const retry = new RetryPolicy();
const fallbacks = fallbackChain(['cache', async () => 'cached']);

describe('options that say one thing twice are refused:', () => {
  it.each<[object, string]>([
    [{ retry, retries: 2 }, 'retries is given together with retry; put it into retry, or leave retry out'],
    [{ retry, retries: 0 }, 'retries is given together with retry; put it into retry, or leave retry out'],
    [
      { retry: false, retries: 2 },
      'retries is given together with retry; put it into retry, or leave retry out',
    ],
    [
      { retry, backoff: retry.backoff },
      'backoff is given together with retry; put it into retry, or leave retry out',
    ],
  ])('%p [R228]', expectRefusal);

  it('retry and retryOn [R229]', () => {
    expectRefusal(
      { retry, retryOn: [Error] },
      'retryOn is given together with retry; put it into retry, or leave retry out',
    );
  });

  it.each<[object, string]>([
    [
      { fallbacks, fallback: async () => 'x' },
      'fallback is given together with fallbacks; put it into fallbacks, or leave fallbacks out',
    ],
    [
      { fallbacks, fallbackOn: [Error] },
      'fallbackOn is given together with fallbacks; put it into fallbacks, or leave fallbacks out',
    ],
    [
      { fallbacks, fallback: false },
      'fallback is given together with fallbacks; put it into fallbacks, or leave fallbacks out',
    ],
  ])('%p [R234]', expectRefusal);

  it('validation and validate', () => {
    expectRefusal(
      { validation, validate: isTrue },
      'validate is given together with validation; put it into validation, or leave validation out',
    );
  });

  it('but undefined is the same as not given', () => {
    const nothing = {
      retry,
      retries: undefined,
      retryOn: undefined,
      fallbacks,
      fallback: undefined,
      validation,
      validate: undefined,
    };
    expect(() => resilient(nothing, method)).not.toThrow();
    expect(() => decoratorMistake(nothing)).toThrow('nothing was refused');
  });
});

describe('an option that is none', () => {
  it.each([
    [{ retry_on: [Error] }, 'retry_on is not an option here; did you mean retryOn?'],
    [{ retris: 3 }, 'retris is not an option here; did you mean retries?'],
    [{ timeOut: 3 }, 'timeOut is not an option here; did you mean timeout?'],
    [{ circuitbreaker: 'x' }, 'circuitbreaker is not an option here; did you mean circuitBreaker?'],
    [{ fallBack: 'x' }, 'fallBack is not an option here; did you mean fallback?'],
    [{ onreport: () => 1 }, 'onreport is not an option here; did you mean onReport?'],
  ])('%p is named together with what was probably meant', (options, message) => {
    expectRefusal(options, message);
  });

  it('is answered with the list of options when nothing is near', () => {
    expect(decoratorMistake({ cacheFor: '1m' }).message).toMatch(
      /: cacheFor is not an option here; the options are retries, retryOn, .*, use$/,
    );
  });

  it('may be one of the other way in', () => {
    expect(functionMistake({ throws: 'execution-error' }).message).toMatch(
      /^charge: throws is not an option here/,
    );
    expect(decoratorMistake({ clock: {} }).message).toContain('clock is not an option here');
  });
});

describe('the builder', () => {
  it('refuses a policy that is none, in the place of its name', () => {
    const operation = asyncOperation('charge', method);
    const mistake = mistakeOf(() => operation.withRetry({ maxAttempts: 2 } as never));
    expect(mistake.message).toBe(
      'charge: retry is an object; give a RetryPolicy, or false; a number of retries is the option retries',
    );
    expect(mistakeOf(() => operation.withCircuitBreaker({ name: 'x' } as never)).path).toBe('charge');
  });
});
