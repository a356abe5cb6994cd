import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InMemoryEventSink, validator } from '../../lib/index.js';
import { decoratorMistake, expectRefusal, functionMistake, method } from './refusals.js';
import { placeOf } from './support.js';

const isTrue = validator('isTrue', (value: unknown) => value === true, { message: 'must be true' });

const COUNT = 'give a whole number, 0 or more';
const DURATION = "give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'";
const FILTER = 'give a list of error classes that is not empty, or a function (error) => boolean';
const FILTER_ENTRY = 'give an error class; a function that decides stands alone, not in a list';
const LIMIT =
  'give the name of a concurrency limit or a ConcurrencyLimit; a number is the option maxConcurrent';
const BREAKER =
  'give the name of a circuit breaker, a CircuitBreaker, a name and a key, or a function that finds one';
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
    ['retry', true, 'retry is true; give a RetryPolicy, or false; a number of retries is the option retries'],
    [
      'retry',
      { maxAttempts: 3 },
      'retry is an object; give a RetryPolicy, or false; a number of retries is the option retries',
    ],
    ['circuitBreaker', '', `circuitBreaker is a blank string; ${BREAKER}`],
    ['circuitBreaker', true, `circuitBreaker is true; ${BREAKER}`],
    ['circuitBreaker', null, `circuitBreaker is null; ${BREAKER}`],
    ['circuitBreaker', { name: 'payments' }, `circuitBreaker is an object; ${BREAKER}`],
    ['circuitBreaker', ' ', `circuitBreaker is a blank string; ${BREAKER}`],
    ['circuitBreaker', { name: 'b', admit: () => undefined }, `circuitBreaker is an object; ${BREAKER}`],
    ['maxConcurrent', 0, 'maxConcurrent is the number 0; give a whole number, 1 or more'],
    ['maxConcurrent', '3', 'maxConcurrent is a string; give a whole number, 1 or more'],
    ['concurrencyLimit', 3, `concurrencyLimit is the number 3; ${LIMIT}`],
    ['concurrencyLimit', ' ', `concurrencyLimit is a blank string; ${LIMIT}`],
    ['rateLimit', true, 'rateLimit is true; give a RateLimitPolicy, or false'],
    ['idempotency', true, 'idempotency is true; give an IdempotencyPolicy, or false'],
    ['fallback', '', `fallback is a blank string; ${FALLBACK}`],
    ['fallback', ' ', `fallback is a blank string; ${FALLBACK}`],
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
    [
      'signal',
      new AbortController(),
      'signal is an object; give an AbortSignal, or a function that finds one',
    ],
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
    for (const [kind, options] of [
      ['null', null],
      ['the number 3', 3],
      ['an empty list', []],
    ] as const) {
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
