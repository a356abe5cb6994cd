import { describe, expect, it, jest } from '@jest/globals';
import {
  currentAttempt,
  ExponentialBackoff,
  MisuseError,
  RelPrimError,
  RetryError,
  RetryPolicy,
} from '../../lib/index.js';
import { failing, onFakeClock } from './support.js';

class HttpError extends Error {}
class ServerError extends HttpError {}

describe('a retry policy used alone', () => {
  it('gives the value of a call that fails and then succeeds within its limit, after the right number of calls [R2]', async () => {
    const { clock, policy } = onFakeClock();
    const fn = failing(new Error('first'), new Error('second'));
    expect(await clock.settle(policy.run(fn))).toBe('done');
    expect(fn).toHaveBeenCalledTimes(3);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends with a RetryError that tells the attempts and the last cause [R3]', async () => {
    const { clock, policy } = onFakeClock();
    const failures = [new Error('1'), new Error('2'), new Error('3'), new Error('4')];
    const error: unknown = await clock.settle(
      policy.run(failing(...failures)).catch((reason: unknown) => reason),
    );
    expect(error).toBeInstanceOf(RetryError);
    expect(error).toBeInstanceOf(RelPrimError);
    expect(error).toMatchObject({
      attempts: 3,
      message: 'all 3 attempt(s) failed',
      code: 'RELPRIM_RETRIES_EXHAUSTED',
    });
    expect((error as RetryError).cause).toBe(failures[2]);
  });

  // B077
  it('gives an error outside its filter back as it is, after one call [R4]', async () => {
    const { clock, policy, waits } = onFakeClock({ retryOn: [HttpError] });
    const error = new Error('has neither status nor response nor config');
    const fn = failing(error);
    await expect(clock.settle(policy.run(fn))).rejects.toBe(error);
    expect(fn).toHaveBeenCalledTimes(1);
    expect(waits()).toEqual([]);
  });

  it('gives an error outside its filter back as it is in a later attempt, too', async () => {
    const { clock, policy } = onFakeClock({ retryOn: [HttpError] });
    const error = new Error('another');
    await expect(clock.settle(policy.run(failing(new HttpError(), error)))).rejects.toBe(error);
  });

  it('hands the arguments to each attempt [R5]', async () => {
    const { clock, policy } = onFakeClock();
    const fn = failing(new Error('first'));
    const order = { id: 7 };
    await clock.settle(policy.run(fn, 'a', order, undefined));
    expect(fn.mock.calls).toEqual([
      ['a', order, undefined],
      ['a', order, undefined],
    ]);
    expect(fn.mock.calls[1]?.[1]).toBe(order);
  });

  it('retries a subclass of an error in its filter [R23]', async () => {
    const { clock, policy } = onFakeClock({ retryOn: [HttpError] });
    const fn = failing(new ServerError());
    expect(await clock.settle(policy.run(fn))).toBe('done');
    expect(fn).toHaveBeenCalledTimes(2);
  });

  it('sleeps exactly the expected delays, one fewer than its attempts [R18]', async () => {
    const { clock, policy, waits } = onFakeClock({ maxAttempts: 5 });
    const fn = jest.fn(() => Promise.reject(new Error()));
    await clock.settle(policy.run(fn).catch(() => undefined));
    expect(fn).toHaveBeenCalledTimes(5);
    expect(waits()).toEqual([500, 1_000, 2_000, 2_000]);
    expect(clock.monotonicMs()).toBe(5_500);
  });

  it('with a single attempt never sleeps, nor asks how long [R19]', async () => {
    const delayForRetry = jest.fn(() => 1);
    const { clock, policy, waits } = onFakeClock({ maxAttempts: 1, backoff: { delayForRetry } });
    const error: unknown = await clock.settle(
      policy.run(failing(new Error())).catch((reason: unknown) => reason),
    );
    expect(error).toMatchObject({ name: 'RetryError', attempts: 1 });
    expect(waits()).toEqual([]);
    expect(delayForRetry).not.toHaveBeenCalled();
  });

  it('has 3 attempts and the default backoff unless told otherwise, and retries every failure [R20]', () => {
    const policy = new RetryPolicy();
    expect(policy.maxAttempts).toBe(3);
    expect(policy.backoff).toEqual(new ExponentialBackoff());
    for (const failure of [new Error(), new TypeError(), 'boom', undefined, null])
      expect(policy.isRetryable(failure)).toBe(true);
    expect(
      new RetryPolicy({
        maxAttempts: undefined,
        backoff: undefined,
        retryOn: undefined,
        clock: undefined,
        random: undefined,
      }),
    ).toEqual(policy);
  });

  it('does not touch a timer for a delay of zero', async () => {
    const { clock, policy, waits } = onFakeClock({ backoff: new ExponentialBackoff({ baseDelay: 0 }) });
    expect(await clock.settle(policy.run(failing(new Error(), new Error())))).toBe('done');
    expect(waits()).toEqual([]);
  });

  it('draws its delays from the random source that it was given', async () => {
    const { clock, policy, waits } = onFakeClock({
      backoff: new ExponentialBackoff({ baseDelay: 1 }),
      random: () => 0.25,
    });
    await clock.settle(policy.run(failing(new Error(), new Error())));
    expect(waits()).toEqual([250, 500]);
  });

  // B099
  it('asks the clock for a delay above what a timer can keep, and leaves the steps to it', async () => {
    const backoff = new ExponentialBackoff({ baseDelay: 1, maxDelay: '10000h', jitter: false });
    const { clock, policy, waits } = onFakeClock({ maxAttempts: 24, backoff });
    await clock.settle(policy.run(() => Promise.reject(new Error())).catch(() => undefined));
    expect(waits().slice(-2)).toEqual([2_097_152_000, 4_194_304_000]);
  });

  // B117, D1
  it.each(['boom', 42, Symbol('boom'), null, undefined, {}, Object.freeze(new Error('frozen')), { then: 5 }])(
    'tries again after the thrown value %p, and keeps it as the cause',
    async (thrown) => {
      const { clock, policy } = onFakeClock({ maxAttempts: 2 });
      expect(await clock.settle(policy.run(failing(thrown)))).toBe('done');
      const error: unknown = await clock.settle(
        policy.run(failing(thrown, thrown)).catch((reason: unknown) => reason),
      );
      expect(Object.is((error as RetryError).cause, thrown)).toBe(true);
    },
  );

  // B131, B132
  it('takes plain values, synchronous throws and foreign thenables', async () => {
    const { clock, policy } = onFakeClock();
    const values = [undefined, 0, '', null, [1]];
    for (const value of values) expect(await clock.settle(policy.run(() => value))).toBe(value);
    let calls = 0;
    const throwsTwice = (): number => {
      if ((calls += 1) < 3) throw new Error('synchronous');
      return calls;
    };
    expect(await clock.settle(policy.run(throwsTwice))).toBe(3);
    const thenable = {
      then: (resolve: (value: string) => void) => resolve('of a thenable'),
    } as PromiseLike<string>;
    expect(await clock.settle(policy.run(() => thenable))).toBe('of a thenable');
  });

  // B081
  it('refuses a promise instead of a function at once, and tries nothing', async () => {
    const { policy, waits } = onFakeClock();
    await expect(policy.run(Promise.resolve(1) as never)).rejects.toThrow('fn is a promise; give a function');
    expect(waits()).toEqual([]);
  });

  it('tells each attempt its number and why the one before it failed', async () => {
    const { clock, policy } = onFakeClock();
    const first = new Error('first');
    const seen: unknown[] = [];
    await clock.settle(
      policy.run(() => {
        const { number, kind, lastError, remainingSeconds, operationName } = currentAttempt();
        seen.push([number, kind, lastError, remainingSeconds, operationName]);
        return number === 1 ? Promise.reject(first) : 'done';
      }),
    );
    expect(seen).toEqual([
      [1, 'primary', undefined, Infinity, 'RetryPolicy.run'],
      [2, 'primary', first, Infinity, 'RetryPolicy.run'],
    ]);
  });

  it('never repeats a misuse of the library', async () => {
    const { clock, policy } = onFakeClock();
    const fn = failing(new MisuseError('wrong'));
    await expect(clock.settle(policy.run(fn))).rejects.toBeInstanceOf(MisuseError);
    expect(fn).toHaveBeenCalledTimes(1);
  });
});
