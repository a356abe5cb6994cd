import { describe, expect, it, jest } from '@jest/globals';
import { CircuitBreaker, ConfigurationError } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { thrown } from '../operation/support.js';
import { failCalls, failWith } from './support.js';

/** The option that a breaker refuses to be made with, and why. */
function refusalOf(options: unknown): ConfigurationError {
  const error = thrown(() => new CircuitBreaker(options as never));
  expect(error).toBeInstanceOf(ConfigurationError);
  return error;
}

describe('the options of a circuit breaker', () => {
  it('has a name, five failures and thirty seconds by default', () => {
    expect(new CircuitBreaker().snapshot()).toMatchObject({
      name: 'default',
      failureThreshold: 5,
      recoveryTimeoutSeconds: 30,
    });
    const undefinedOptions = {
      name: undefined,
      failureThreshold: undefined,
      recoveryTimeout: undefined,
      recordFailureOn: undefined,
      clock: undefined,
    };
    expect(new CircuitBreaker(undefinedOptions).snapshot()).toEqual(new CircuitBreaker().snapshot());
  });

  it('keeps a name as it is, and understands durations', () => {
    const breaker = new CircuitBreaker({ name: ' payments ', recoveryTimeout: '250ms', failureThreshold: 1 });
    expect(breaker).toMatchObject({
      name: ' payments ',
      recoveryTimeoutSeconds: 0.25,
      failureThreshold: 1,
      state: 'closed',
    });
  });

  it.each(['', ' ', '\t\n', null, 5, true, {}, Symbol('payments')])('refuses the name %p [R51]', (name) => {
    expect(refusalOf({ name })).toMatchObject({ option: 'name', cure: 'give a text that is not blank' });
  });

  it.each([0, -1, 1.5, NaN, Infinity, 2 ** 53, true, null, '3', [3]])(
    'refuses the threshold %p [R52]',
    (failureThreshold) => {
      expect(refusalOf({ failureThreshold })).toMatchObject({
        option: 'failureThreshold',
        cure: 'give a whole number, 1 or more',
      });
    },
  );

  it.each([0, -0, -1, NaN, Infinity, true, null, '', '0s', '10', '10 s', '-5s', '1d', 'soon', [10]])(
    'refuses the recovery time %p [R53]',
    (recoveryTimeout) => {
      expect(refusalOf({ recoveryTimeout })).toMatchObject({
        option: 'recoveryTimeout',
        cure: "give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'",
      });
    },
  );

  it('says which breaker and which option a mistake is in [R53]', () => {
    // B061
    expect(refusalOf({ name: 'payments', recoveryTimeout: 0 }).message).toBe(
      "recoveryTimeout of circuit breaker 'payments' is the number 0; " +
        "give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'",
    );
    expect(refusalOf({ failureThreshold: NaN }).message).toBe(
      "failureThreshold of circuit breaker 'default' is NaN; give a whole number, 1 or more",
    );
  });

  it.each([[[]], [null], ['Error'], [{}], [[5]], [[Error, undefined]], [[() => true]]])(
    'refuses the filter %j, empty ones included [R54]',
    (recordFailureOn) => {
      expect(refusalOf({ recordFailureOn }).option).toMatch(/^recordFailureOn(\[\d\])?$/);
    },
  );

  it.each([null, 5, 'payments', [], () => 1])('refuses %p in place of options', (options) => {
    expect(refusalOf(options).option).toBe('circuitBreaker');
  });

  it('refuses an option that does not exist, and names the nearest', () => {
    const error = refusalOf({ name: 'payments', recoverTimeout: 10 });
    expect(error).toMatchObject({ option: 'recoverTimeout', cure: 'did you mean recoveryTimeout?' });
    expect(refusalOf({ clock: { now: () => 0 } }).option).toBe('clock');
  });
});

describe('the filter of recorded failures', () => {
  it('records subclasses of its classes, and what its function says', async () => {
    class Down extends Error {}
    class Unreachable extends Down {}
    const clock = new FakeClock();
    const byClass = new CircuitBreaker({ recordFailureOn: [Down], clock });
    for (const error of [new Unreachable(), new Down(), new Error()]) await failWith(byClass, error);
    expect(byClass.snapshot().failureCount).toBe(2);
    const question = jest.fn((error: unknown) => error === 'yes');
    const byQuestion = new CircuitBreaker({ recordFailureOn: question, clock });
    for (const error of ['yes', 'no', undefined, 'yes']) await failWith(byQuestion, error);
    expect(byQuestion.snapshot().failureCount).toBe(2);
    expect(question.mock.calls).toEqual([['yes'], ['no'], [undefined], ['yes']]);
  });

  it('records nothing while its function throws or promises, and the caller gets the real error', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const throwing = () => {
      throw new Error('the filter is broken');
    };
    const promising = (async () => true) as unknown as () => boolean;
    for (const recordFailureOn of [throwing, promising]) {
      const breaker = new CircuitBreaker({ recordFailureOn, failureThreshold: 1, clock: new FakeClock() });
      const error = new Error('down');
      expect(await failWith(breaker, error)).toBe(error);
      await failCalls(breaker, 3);
      expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
    }
    // Once for the filter that throws, however often it is asked.
    expect(warn.mock.calls.map(([, options]) => options)).toEqual([{ code: 'RELPRIM_FILTER' }]);
    warn.mockRestore();
  });
});
