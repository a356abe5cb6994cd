import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  ConfigurationError,
  FallbackChainError,
  OperationExecutionError,
  OperationTimeoutError,
  RelPrimError,
  RetryError,
  type ExecutionReport,
} from '../../lib/index.js';
import { compileFilter, type FailureFilter } from '../../lib/errors/failure-filter.js';

class HttpError extends Error {}
class ServerError extends HttpError {}
abstract class AnyFault {}
class Fault extends AnyFault {}

function matches(filter: unknown, failure: unknown): boolean {
  return compileFilter('retryOn', filter as FailureFilter)(failure);
}

function executionError(cause: unknown): OperationExecutionError {
  return new OperationExecutionError('inner', { report: {} as ExecutionReport }, cause);
}

afterEach(() => void jest.restoreAllMocks());

describe('a filter of failures by class', () => {
  it('matches the classes of the list and their subclasses', () => {
    expect(matches([HttpError], new HttpError())).toBe(true);
    expect(matches([HttpError], new ServerError())).toBe(true);
    expect(matches([RangeError, ServerError], new ServerError())).toBe(true);
    expect(matches([ServerError], new HttpError())).toBe(false);
    expect(matches([AnyFault], new Fault())).toBe(true);
    expect(matches([RelPrimError], new OperationTimeoutError(1))).toBe(true);
  });

  it.each(['boom', 42, undefined, null, Symbol('boom'), {}, Object.create(null)])(
    'does not match the thrown value %p',
    (thrown) => expect(matches([Error, HttpError], thrown)).toBe(false),
  );

  it('is not changed by what happens to its list later', () => {
    const classes: (new () => Error)[] = [HttpError];
    const filter = compileFilter('retryOn', classes);
    classes[0] = RangeError;
    classes.push(TypeError);
    expect([new HttpError(), new RangeError(), new TypeError()].map(filter)).toEqual([true, false, false]);
  });

  it.each<[unknown, string, string]>([
    [[], 'retryOn', 'is an empty list'],
    [undefined, 'retryOn', 'is undefined'],
    [null, 'retryOn', 'is null'],
    [true, 'retryOn', 'is true'],
    ['HttpError', 'retryOn', 'is a string'],
    [{ 0: HttpError, length: 1 }, 'retryOn', 'is an object'],
    [new Set([HttpError]), 'retryOn', 'is an object'],
    [[HttpError, 'HttpError'], 'retryOn[1]', 'is a string'],
    [[undefined], 'retryOn[0]', 'is undefined'],
    [[new HttpError()], 'retryOn[0]', 'is an object'],
    [[() => true], 'retryOn[0]', 'is a function'],
    [[[HttpError]], 'retryOn[0]', 'is a list'],
  ])('refuses %p', (filter, option, problem) => {
    expect(() => matches(filter, new Error())).toThrow(expect.objectContaining({ option, problem }));
  });

  it.each([Error, HttpError, TypeError])(
    'refuses %p alone, which would never match as a predicate',
    (errorClass) => {
      expect(() => matches(errorClass, new Error())).toThrow(ConfigurationError);
      expect(() => matches(errorClass, new Error())).toThrow(
        'retryOn is a function; put the error class in a list',
      );
    },
  );
});

describe('a filter of failures by predicate', () => {
  it('is asked with the failure itself', () => {
    const predicate = jest.fn((error: unknown) => error === 'boom');
    expect(matches(predicate, 'boom')).toBe(true);
    expect(matches(predicate, 'bang')).toBe(false);
    expect(predicate.mock.calls).toEqual([['boom'], ['bang']]);
  });

  it.each([1, 'yes', {}, Promise.resolve(true), undefined, null])(
    'matches only by true, not by %p',
    (answer) => {
      expect(matches(() => answer, new Error())).toBe(false);
    },
  );

  it('that throws matches nothing and warns once, without the message, which may hold anything', () => {
    const warning = jest.spyOn(process, 'emitWarning').mockReturnValue();
    const filter = compileFilter('retryOn', (error) => (error as { response: { ok: boolean } }).response.ok);
    expect([undefined, null, new Error()].map(filter)).toEqual([false, false, false]);
    expect(warning.mock.calls).toEqual([
      ['retryOn threw TypeError, so the failure does not match', { code: 'RELPRIM_FILTER' }],
    ]);
  });

  it.each([
    'secret',
    undefined,
    Symbol('secret'),
    Object.create(null),
    {
      toString: () => {
        throw new Error();
      },
    },
  ])('that throws %p matches nothing and shows nothing of it', (mistake) => {
    const warning = jest.spyOn(process, 'emitWarning').mockReturnValue();
    expect(
      matches(() => {
        throw mistake;
      }, new Error()),
    ).toBe(false);
    expect(warning).toHaveBeenCalledTimes(1);
    expect(warning.mock.calls[0]?.[0]).not.toContain('secret');
  });
});

describe('what a filter looks through', () => {
  const failure = new ServerError('of the upstream');

  it.each<[string, unknown]>([
    [
      'all fallbacks failed, at the failure that made them needed',
      new FallbackChainError([new Error('fallback')], failure),
    ],
    ['an operation failed in the result form, at its cause', executionError(failure)],
    [
      'a wrapper in a wrapper',
      executionError(new FallbackChainError([new Error('fallback')], executionError(failure))),
    ],
  ])('is an error that says: %s', (_what, wrapper) => {
    const seen: unknown[] = [];
    expect(matches([ServerError], wrapper)).toBe(true);
    expect(matches((error: unknown) => void seen.push(error), wrapper)).toBe(false);
    expect([seen[0], seen.at(-1)]).toEqual([wrapper, failure]);
  });

  it('does not hide the wrapper itself', () => {
    expect(matches([OperationExecutionError], executionError(failure))).toBe(true);
    expect(matches([FallbackChainError], new FallbackChainError([failure]))).toBe(true);
  });

  it('is no other error with a cause', () => {
    expect(matches([ServerError], new Error('of the application', { cause: failure }))).toBe(false);
    expect(matches([ServerError], new RetryError(3, failure))).toBe(false);
    expect(matches([ServerError], new FallbackChainError([failure]))).toBe(false);
  });

  it('is no endless ring', () => {
    const ring = executionError(undefined);
    Object.defineProperty(ring, 'cause', { value: executionError(ring) });
    expect(matches([ServerError], ring)).toBe(false);
  });

  // B119
  it('is the same object, for an error of another realm that only a predicate can know', () => {
    const foreign: unknown = runInNewContext('new TypeError("of another realm")');
    expect(matches([TypeError], foreign)).toBe(false);
    expect(matches((error: unknown) => (error as Error).name === 'TypeError', foreign)).toBe(true);
  });
});
