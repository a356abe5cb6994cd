import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import {
  asyncOperation,
  fallbackChain,
  InMemoryEventSink,
  resilient,
  Resilient,
  RetryPolicy,
  validationPolicy,
  validator,
  type ConfigurationError,
} from '../../lib/index.js';
import { mistakeOf, placeOf } from './support.js';

const method = jest.fn(async () => 'charged');

/** The mistake that a decorator with these options is refused for. */
function decoratorMistake(options: unknown): ConfigurationError {
  return mistakeOf(() => {
    class Client {
      @Resilient(options as object)
      async charge(): Promise<string> {
        return method();
      }
    }
    return Client;
  });
}

function functionMistake(options: unknown): ConfigurationError {
  return mistakeOf(() => resilient(options as object, async function charge() {
    return method();
  }));
}

/** Both ways in say the same of an option, each in its place. */
function expectRefusal(options: object, message: string): void {
  expect(decoratorMistake(options).message).toBe(`${placeOf('Client', 'charge')}: ${message}`);
  expect(functionMistake(options).message).toBe(`charge: ${message}`);
  expect(method).not.toHaveBeenCalled();
}

const isTrue = validator('isTrue', (value: unknown) => value === true, { message: 'must be true' });
const validation = validationPolicy(isTrue);
const retry = new RetryPolicy();
const fallbacks = fallbackChain(['cache', async () => 'cached']);

const COUNT = 'give a whole number, 0 or more';
const DURATION = "give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'";
const FILTER = 'give a list of error classes that is not empty, or a function (error) => boolean';
const FILTER_ENTRY = 'give an error class; a function that decides stands alone, not in a list';
const BREAKER = 'give the name of a circuit breaker, a CircuitBreaker, or a function that finds one';
const FALLBACK = 'give a function, or the name of another method of the class';
const CHECK = 'give a function (value) => boolean, a validator or a Standard Schema';

describe('a wrong value of an option is refused with its kind, the cure and the place:', () => {
  it.each([NaN, Infinity, -1, 1.5, -Infinity])('retries: %p [R230]', (retries) => {
    const kind = Number.isFinite(retries) ? `the number ${retries}` : String(retries);
    expectRefusal({ retries }, `retries is ${kind}; ${COUNT}`);
  });

  it.each([
    ['true', true],
    ['a string', '3'],
    ['null', null],
    ['an object', {}],
    ['a promise', Promise.resolve(3)],
  ])('retries: %s', (kind, retries) => {
    expectRefusal({ retries }, `retries is ${kind}; ${COUNT}`);
  });

  it.each([
    ['the number 0', 0],
    ['the number -1', -1],
    ['NaN', NaN],
    ['Infinity', Infinity],
    ['true', true],
    ['null', null],
    ['a string', '10 sec'],
    ['a string', '10'],
    ['a string', '-1s'],
    ['a string', '0s'],
    ['a string', ' 10s'],
    ['a string', '1e3s'],
    ['a string', '10S'],
    ['a string', '1d'],
    ['a blank string', ''],
    ['an object', { seconds: 1 }],
    ['a list', [1]],
  ])('timeout and deadline: %s [R231]', (kind, duration) => {
    expectRefusal({ timeout: duration }, `timeout is ${kind}; ${DURATION}`);
    expectRefusal({ deadline: duration }, `deadline is ${kind}; ${DURATION}`);
  });

  it.each(['retryOn', 'fallbackOn'])('%s: an empty or unusable filter', (option) => {
    expectRefusal({ [option]: [] }, `${option} is an empty list; ${FILTER}`);
    expectRefusal({ [option]: false }, `${option} is false; ${FILTER}`);
    expectRefusal({ [option]: 'TypeError' }, `${option} is a string; ${FILTER}`);
    expectRefusal({ [option]: null }, `${option} is null; ${FILTER}`);
    expectRefusal({ [option]: [TypeError, 'RangeError'] }, `${option}[1] is a string; ${FILTER_ENTRY}`);
    expectRefusal({ [option]: [() => true] }, `${option}[0] is a function; ${FILTER_ENTRY}`);
    expectRefusal({ [option]: [undefined] }, `${option}[0] is undefined; ${FILTER_ENTRY}`);
  });

  it.each<[string, unknown, string]>([
    ['name', ' ', 'name is a blank string; give a text that is not blank'],
    ['name', '', 'name is a blank string; give a text that is not blank'],
    ['name', '\n', 'name is a blank string; give a text that is not blank'],
    ['name', 42, 'name is the number 42; give a text that is not blank'],
    ['name', null, 'name is null; give a text that is not blank'],
    ['backoff', null, 'backoff is null; give a Backoff, such as new ExponentialBackoff()'],
    ['backoff', 0.5, 'backoff is the number 0.5; give a Backoff, such as new ExponentialBackoff()'],
    ['backoff', {}, 'backoff.delayForRetry is undefined; give a function'],
    ['retry', true, 'retry is true; give a RetryPolicy, or false'],
    ['retry', { maxAttempts: 3 }, 'retry is an object; give a RetryPolicy, or false'],
    ['circuitBreaker', '', `circuitBreaker is a blank string; ${BREAKER}`],
    ['circuitBreaker', true, `circuitBreaker is true; ${BREAKER}`],
    ['circuitBreaker', null, `circuitBreaker is null; ${BREAKER}`],
    ['circuitBreaker', { name: 'payments' }, `circuitBreaker is an object; ${BREAKER}`],
    ['fallback', '', `fallback is a blank string; ${FALLBACK}`],
    ['fallback', true, `fallback is true; ${FALLBACK}`],
    ['fallback', Promise.resolve(1), `fallback is a promise; ${FALLBACK}`],
    ['fallbacks', [], 'fallbacks is an empty list; give a chain made with fallbackChain(), or false'],
    ['fallbacks', () => 1, 'fallbacks is a function; give a chain made with fallbackChain(), or false'],
    ['validate', [], 'validate is an empty list; give at least one check'],
    ['validate', null, `validate[0] is null; ${CHECK}`],
    ['validate', [isTrue, 'isTrue'], `validate[1] is a string; ${CHECK}`],
    ['validation', isTrue, 'validation is an object; give a policy made with validationPolicy(), or false'],
    ['events', new InMemoryEventSink(), 'events is an object; give an EventEmitter'],
    ['events', false, 'events is false; give an EventEmitter'],
    ['signal', new AbortController(), 'signal is an object; give an AbortSignal, or a function that finds one'],
    ['signal', false, 'signal is false; give an AbortSignal, or a function that finds one'],
    ['idempotent', 'no', 'idempotent is a string; give true or false'],
    ['idempotent', 0, 'idempotent is the number 0; give true or false'],
    ['onReport', true, 'onReport is true; give a function'],
  ])('%s: %p [R221]', (option, value, message) => {
    // A blank or wrong name of a function cannot be its place as well.
    if (option === 'name') expect(functionMistake({ name: value }).message).toBe(message);
    else expect(functionMistake({ [option]: value }).message).toBe(`charge: ${message}`);
    expect(decoratorMistake({ [option]: value }).message).toBe(`${placeOf('Client', 'charge')}: ${message}`);
    expect(method).not.toHaveBeenCalled();
  });

  it('throws: a word that is none', () => {
    const place = placeOf('Client', 'charge');
    const cure = "give 'original' or 'execution-error'";
    expect(decoratorMistake({ throws: 'result' }).message).toBe(`${place}: throws is a string; ${cure}`);
    expect(decoratorMistake({ throws: false }).message).toBe(`${place}: throws is false; ${cure}`);
  });

  it('the options themselves', () => {
    for (const [kind, options] of [['null', null], ['a string', 'payments'], ['an empty list', []]] as const) {
      expectRefusal(options as never, `options is ${kind}; give an object of options`);
    }
  });

  it('whatever number is no whole one of 0 or more', () => {
    const wrong = fc.double().filter((retries) => !Number.isSafeInteger(retries) || retries < 0);
    fc.assert(
      fc.property(wrong, (retries) => {
        expect(decoratorMistake({ retries }).option).toBe('retries');
        expect(functionMistake({ retries }).option).toBe('retries');
      }),
    );
  });
});

describe('options that say one thing twice are refused:', () => {
  it.each<[object, string]>([
    [{ retry, retries: 2 }, 'retries is given together with retry; put it into retry, or leave retry out'],
    [{ retry, retries: 0 }, 'retries is given together with retry; put it into retry, or leave retry out'],
    [{ retry: false, retries: 2 }, 'retries is given together with retry; put it into retry, or leave retry out'],
    [{ retry, backoff: retry.backoff }, 'backoff is given together with retry; put it into retry, or leave retry out'],
  ])('%p [R228]', expectRefusal);

  it('retry and retryOn [R229]', () => {
    expectRefusal({ retry, retryOn: [Error] }, 'retryOn is given together with retry; put it into retry, or leave retry out');
  });

  it.each<[object, string]>([
    [{ fallbacks, fallback: async () => 'x' }, 'fallback is given together with fallbacks; put it into fallbacks, or leave fallbacks out'],
    [{ fallbacks, fallbackOn: [Error] }, 'fallbackOn is given together with fallbacks; put it into fallbacks, or leave fallbacks out'],
    [{ fallbacks, fallback: false }, 'fallback is given together with fallbacks; put it into fallbacks, or leave fallbacks out'],
  ])('%p [R234]', expectRefusal);

  it('validation and validate', () => {
    expectRefusal({ validation, validate: isTrue }, 'validate is given together with validation; put it into validation, or leave validation out');
  });

  it('but undefined is the same as not given', () => {
    const nothing = { retry, retries: undefined, retryOn: undefined, fallbacks, fallback: undefined, validation, validate: undefined };
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
    expect(decoratorMistake({ cacheFor: '1m' }).message).toMatch(/: cacheFor is not an option here; the options are retries, retryOn, .*, throws$/);
  });

  it('may be one of the other way in', () => {
    expect(functionMistake({ throws: 'execution-error' }).message).toMatch(/^charge: throws is not an option here/);
    expect(decoratorMistake({ clock: {} }).message).toContain('clock is not an option here');
  });
});

describe('the builder', () => {
  it('refuses a policy that is none, in the place of its name', () => {
    const operation = asyncOperation('charge', method);
    const mistake = mistakeOf(() => operation.withRetry({ maxAttempts: 2 } as never));
    expect(mistake.message).toBe('charge: retry is an object; give a RetryPolicy, or false');
    expect(mistakeOf(() => operation.withCircuitBreaker({ name: 'x' } as never)).path).toBe('charge');
  });
});
