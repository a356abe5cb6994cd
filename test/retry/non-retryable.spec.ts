import { describe, expect, it } from '@jest/globals';
import {
  FallbackChainError,
  nonRetryable,
  NonRetryableError,
  OperationExecutionError,
  RelPrimError,
  resilient,
  type ExecutionReport,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { failing, onFakeClock } from './support.js';

class CardDeclined extends Error {}

describe('an error that is not worth another try', () => {
  it('is not repeated, whatever the filter says', async () => {
    const { clock, policy, waits } = onFakeClock({ retryOn: () => true });
    const declined = new CardDeclined();
    for (const error of [
      new NonRetryableError('no', { cause: declined }),
      nonRetryable(new CardDeclined()),
    ]) {
      const fn = failing(error);
      await expect(clock.settle(policy.run(fn))).rejects.toBe(error);
      expect(fn).toHaveBeenCalledTimes(1);
    }
    expect(waits()).toEqual([]);
  });

  it('is not repeated by an operation either', async () => {
    const error = nonRetryable(new CardDeclined());
    const fn = failing(error);
    const charge = resilient({ name: 'charge', retries: 5, clock: new FakeClock() }, fn);
    await expect(charge()).rejects.toMatchObject({ cause: error });
    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('ends the tries at the attempt that throws it', async () => {
    const { clock, policy } = onFakeClock({ maxAttempts: 5 });
    const error = nonRetryable(new CardDeclined());
    const fn = failing(new Error('first'), error);
    await expect(clock.settle(policy.run(fn))).rejects.toBe(error);
    expect(fn).toHaveBeenCalledTimes(2);
  });

  it('is marked without being changed: the same object, also when frozen', () => {
    const error = Object.freeze(new CardDeclined('declined'));
    expect(nonRetryable(error)).toBe(error);
    expect(Reflect.ownKeys(error)).toEqual(['stack', 'message']);
    expect(onFakeClock().policy.isRetryable(error)).toBe(false);
    expect(onFakeClock().policy.isRetryable(new CardDeclined('declined'))).toBe(true);
  });

  it.each(['declined', 42, undefined, null, Symbol('declined')])(
    'wraps the value %p, which cannot be marked',
    (value) => {
      const error = nonRetryable(value);
      expect(error).toBeInstanceOf(NonRetryableError);
      expect(error).toBeInstanceOf(RelPrimError);
      expect(Object.is(error.cause, value)).toBe(true);
      expect(error.message).toBe(String(value));
    },
  );

  it('stays so inside our own wrappers', () => {
    const { policy } = onFakeClock();
    const marked = nonRetryable(new CardDeclined());
    expect(policy.isRetryable(new FallbackChainError([new Error('fallback')], marked))).toBe(false);
    expect(
      policy.isRetryable(new OperationExecutionError('inner', { report: {} as ExecutionReport }, marked)),
    ).toBe(false);
    expect(policy.isRetryable(new FallbackChainError([marked]))).toBe(true);
    expect(policy.isRetryable(new Error('of the application', { cause: marked }))).toBe(true);
  });
});
