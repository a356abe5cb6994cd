import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import * as lib from '../../lib/index.js';
import { withoutStack } from '../../lib/errors/brand.js';
import { FakeClock } from '../../lib/testing/index.js';

/** The library once more, as a bundler, or `import` beside `require`, makes it. */
let copy: typeof lib;

beforeAll(async () => {
  await jest.isolateModulesAsync(async () => {
    copy = await import('../../lib/index.js');
  });
});

/** Each error of ours, made by one copy of the library. */
function errorsOf(door: typeof lib): Record<string, Error & { code: string }> {
  const report = { report: {} as lib.ExecutionReport };
  return {
    RetryError: new door.RetryError(3, new Error('cause')),
    NonRetryableError: new door.NonRetryableError('no'),
    OperationTimeoutError: new door.OperationTimeoutError(10),
    OperationExecutionError: new door.OperationExecutionError('charge', report, new Error('cause')),
    FallbackChainError: new door.FallbackChainError([new Error('cause')]),
    CircuitBreakerOpenError: new door.CircuitBreakerOpenError('payments', 'open', 5),
    ValidationFailedError: new door.ValidationFailedError('positive', 'was negative'),
    MisuseError: new door.MisuseError('wrong'),
    ConfigurationError: new door.ConfigurationError({ option: 'retries', problem: 'is NaN', cure: 'do not' }),
  };
}

const codes = {
  RetryError: 'RELPRIM_RETRIES_EXHAUSTED',
  NonRetryableError: 'RELPRIM_NON_RETRYABLE',
  OperationTimeoutError: 'RELPRIM_TIMEOUT',
  OperationExecutionError: 'RELPRIM_OPERATION_FAILED',
  FallbackChainError: 'RELPRIM_FALLBACKS_FAILED',
  CircuitBreakerOpenError: 'RELPRIM_CIRCUIT_BREAKER_OPEN',
  ValidationFailedError: 'RELPRIM_VALIDATION_FAILED',
  MisuseError: 'RELPRIM_MISUSE',
  ConfigurationError: 'RELPRIM_CONFIGURATION',
};
const names = Object.keys(codes) as (keyof typeof codes)[];
const failures: readonly string[] = names.filter(
  (name) => name !== 'MisuseError' && name !== 'ConfigurationError',
);

describe('an error of ours', () => {
  it.each(Object.entries(codes))('%s has the stable code %s', (name, code) => {
    const error = errorsOf(lib)[name]!;
    expect(error).toMatchObject({ name, code });
    expect(Object.keys(error)).not.toEqual(expect.arrayContaining(['name', 'code']));
    expect(error.stack).toContain(`${name}: ${error.message}`);
  });

  it.each(names)('%s is told from the others by instanceof', (name) => {
    const error = errorsOf(lib)[name];
    expect(names.filter((other) => error instanceof lib[other])).toEqual([name]);
    expect(error instanceof lib.RelPrimError).toBe(failures.includes(name));
  });

  it.each(names)(
    '%s of a second copy of the library is the same to the first, and the other way round',
    (name) => {
      expect(copy[name]).not.toBe(lib[name]);
      expect(errorsOf(copy)[name]).toBeInstanceOf(lib[name]);
      expect(errorsOf(lib)[name]).toBeInstanceOf(copy[name]);
      expect(errorsOf(copy)[name] instanceof lib.RelPrimError).toBe(failures.includes(name));
    },
  );

  it('of a derived class is one of its base, while a derived class has only its own instances', () => {
    class CardDeclined extends lib.NonRetryableError {}
    class InCopy extends copy.NonRetryableError {}
    expect(new CardDeclined()).toBeInstanceOf(lib.NonRetryableError);
    expect(new InCopy()).toBeInstanceOf(lib.NonRetryableError);
    expect(new CardDeclined()).toBeInstanceOf(CardDeclined);
    expect(new lib.NonRetryableError()).not.toBeInstanceOf(CardDeclined);
    expect(new InCopy()).not.toBeInstanceOf(CardDeclined);
  });

  it.each([
    undefined,
    null,
    'RetryError',
    5,
    Symbol('RetryError'),
    {},
    new Error('x'),
    { name: 'RetryError' },
    lib.RetryError,
    Object.create(null),
  ])('is not %p', (value) => {
    for (const name of names) expect(value instanceof (lib[name] as never as typeof Error)).toBe(false);
    expect(value instanceof (lib.RelPrimError as never as typeof Error)).toBe(false);
  });

  it('is not a thrown proxy that lets nobody look', () => {
    const hostile = new Proxy(new Error('x'), {
      get() {
        throw new Error('keep out');
      },
    });
    for (const name of names) expect(hostile instanceof (lib[name] as never as typeof Error)).toBe(false);
  });
});

describe('two copies of the library', () => {
  // B121
  it('agree that an error is not worth another try', async () => {
    const clock = new FakeClock();
    for (const error of [new copy.NonRetryableError('no'), copy.nonRetryable(new Error('marked'))]) {
      const fn = jest.fn(() => Promise.reject(error));
      await expect(new lib.RetryPolicy({ clock }).run(fn)).rejects.toBe(error);
      expect(fn).toHaveBeenCalledTimes(1);
    }
  });

  it('agree on which attempt is running', async () => {
    const seen = await new lib.TimeoutPolicy(10, { clock: new FakeClock() }).run(() => {
      const attempt = copy.currentAttempt();
      return [attempt === lib.currentAttempt(), attempt.signal === copy.attemptSignal(), attempt.number];
    });
    expect(seen).toEqual([true, true, 1]);
  });

  it('find the report of a call of the other one', async () => {
    const error = new Error('upstream');
    await copy
      .resilient({ name: 'charge' }, () => Promise.reject(error))()
      .catch(() => undefined);
    expect(lib.reportOf(error)?.operationName).toBe('charge');
  });

  it('agree that a misuse is never retried', async () => {
    const fn = jest.fn(async () => {
      await Promise.resolve();
      copy.currentAttempt();
    });
    await expect(new lib.RetryPolicy({ clock: new FakeClock() }).run(fn)).rejects.toBeInstanceOf(
      lib.MisuseError,
    );
    expect(fn).toHaveBeenCalledTimes(1);
  });
});

describe('an error without a stack trace', () => {
  it('has its first line only, and leaves the traces of others as long as they were', () => {
    const limit = Error.stackTraceLimit;
    const error = withoutStack(() => new lib.CircuitBreakerOpenError('payments', 'open', 5));
    expect(error.stack).toBe(`CircuitBreakerOpenError: ${error.message}`);
    expect(() =>
      withoutStack(() => {
        throw new RangeError();
      }),
    ).toThrow(RangeError);
    expect(Error.stackTraceLimit).toBe(limit);
    expect(new Error().stack).toContain('\n');
  });
});
