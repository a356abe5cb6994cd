import { getEventListeners } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import {
  ConfigurationError,
  currentAttempt,
  ExponentialBackoff,
  OperationTimeoutError,
  RelPrimError,
  RetryPolicy,
  TimeoutPolicy,
  type Duration,
} from '../../lib/index.js';
import { sleep } from '../../lib/time/clock.js';
import { deferred } from '../support/deferred.js';
import { hang, watch } from '../support/watch.js';
import { tenSeconds } from './support.js';

describe('a timeout policy used alone', () => {
  it('returns a value that comes in time [R24]', async () => {
    const { clock, timeout } = tenSeconds();
    const call = timeout.run(async () => {
      await sleep(clock, 9_999);
      return 'in time';
    });
    expect(await clock.settle(call)).toBe('in time');
    expect(clock.pendingTimers).toBe(0);
  });

  it('is met with an error that, made by hand, is of an attempt whose outcome nobody knows', () => {
    const { message, timeoutSeconds, scope, outcomeUnknown, localStall } = new OperationTimeoutError(2);
    expect(message).toBe('the attempt did not end within its timeout of 2 s');
    expect({ timeoutSeconds, scope, outcomeUnknown, localStall }).toEqual({
      timeoutSeconds: 2,
      scope: 'attempt',
      outcomeUnknown: true,
      localStall: 0,
    });
  });

  // B131
  it.each([undefined, null, 0, '', [1]])('returns the plain value %p', async (value) => {
    expect(await tenSeconds().timeout.run(() => value)).toBe(value);
  });

  it('hands the arguments to the function [R25]', async () => {
    const fn = jest.fn((id: number, order: object) => [id, order]);
    const order = {};
    expect((await tenSeconds().timeout.run(fn, 7, order))[1]).toBe(order);
    expect(fn.mock.calls).toEqual([[7, order]]);
  });

  it('ends with an OperationTimeoutError that has its seconds, and no cause, as there is no platform timeout beneath it [R26]', async () => {
    const { clock, timeout } = tenSeconds();
    const error: unknown = await clock.settle(timeout.run(hang).catch((reason: unknown) => reason));
    expect(clock.monotonicMs()).toBe(10_000);
    expect(error).toBeInstanceOf(OperationTimeoutError);
    expect(error).toBeInstanceOf(RelPrimError);
    expect(error).toMatchObject({
      timeoutSeconds: 10,
      scope: 'attempt',
      message: 'the attempt did not end within its timeout of 10 s',
    });
    expect((error as OperationTimeoutError).cause).toBeUndefined();
    const cause = new Error('beneath');
    expect(new OperationTimeoutError(5, 'deadline', { cause })).toMatchObject({
      cause,
      scope: 'deadline',
      message: 'the call did not end within its deadline of 5 s',
    });
  });

  // B031
  it("aborts the function's signal at the deadline, with the timeout error as the reason [R27]", async () => {
    const { clock, timeout } = tenSeconds();
    let signal!: AbortSignal;
    const call = watch(timeout.run(() => ((signal = currentAttempt().signal), hang())));
    await clock.advance('9999ms');
    expect(signal.aborted).toBe(false);
    await clock.advance('1ms');
    expect(signal.aborted).toBe(true);
    expect(call).toEqual({ state: 'rejected', outcome: signal.reason });
  });

  it("does not abort the function's signal when it ends in time", async () => {
    const { clock, timeout } = tenSeconds();
    let signal!: AbortSignal;
    await timeout.run(() => void (signal = currentAttempt().signal));
    await clock.advance('1h');
    expect(signal.aborted).toBe(false);
  });

  it.each<unknown>([
    0,
    -1,
    '0s',
    '0ms',
    NaN,
    Infinity,
    true,
    false,
    null,
    undefined,
    '',
    '5',
    '10 sec',
    '-1s',
    {},
  ])('refuses a timeout of %p [R28]', (seconds) => {
    expect(() => new TimeoutPolicy(seconds as Duration)).toThrow(ConfigurationError);
    expect(() => new TimeoutPolicy(seconds as Duration)).toThrow(
      /^timeout is .*; give seconds as a number above 0, or text/,
    );
  });

  it("leaves a timeout error of the function's own as it is [R29, R30]", async () => {
    const { clock, timeout } = tenSeconds();
    for (const own of [new DOMException('too slow', 'TimeoutError'), new OperationTimeoutError(1)]) {
      await expect(timeout.run(() => Promise.reject(own))).rejects.toBe(own);
      const retry = new RetryPolicy({ clock, retryOn: [RangeError] });
      await expect(retry.run(() => Promise.reject(own))).rejects.toBe(own);
    }
  });

  // B032
  it('gives each attempt a fresh deadline, and does not charge the waits between them [R31, R32]', async () => {
    const { clock, timeout } = tenSeconds();
    const backoff = new ExponentialBackoff({ baseDelay: 60, maxDelay: 60, jitter: false });
    const starts: number[] = [];
    const hangs = (): Promise<never> => {
      starts.push(clock.monotonicMs());
      expect(currentAttempt().remainingSeconds).toBe(10);
      return hang();
    };
    const call = watch(new RetryPolicy({ backoff, clock }).run(() => timeout.run(hangs)));
    await clock.advance('150s');
    expect(call.outcome).toMatchObject({ name: 'RetryError', attempts: 3, cause: { timeoutSeconds: 10 } });
    expect(starts).toEqual([0, 70_000, 140_000]);
    expect(clock.pendingTimers).toBe(0);
  });

  // B126, B127
  it.each(['resolve', 'reject'] as const)(
    'ignores what the function does after the deadline: %s [R35]',
    async (end) => {
      const { clock, timeout } = tenSeconds();
      const late = deferred<unknown>();
      const call = watch(timeout.run(() => late.promise));
      await clock.advance('10s');
      const { outcome } = call;
      expect(outcome).toBeInstanceOf(OperationTimeoutError);
      late[end](new Error('late'));
      await clock.advance('1h');
      expect(call).toEqual({ state: 'rejected', outcome });
      expect(clock.pendingTimers).toBe(0);
    },
  );

  it("ends with the caller's reason, not a timeout, when the caller aborts [R36]", async () => {
    const { clock, timeout } = tenSeconds();
    const controller = new AbortController();
    const reason = new Error('the caller is gone');
    let signal!: AbortSignal;
    const call = watch(
      timeout.runWith({ signal: controller.signal }, () => ((signal = currentAttempt().signal), hang())),
    );
    await clock.advance('9s');
    controller.abort(reason);
    await clock.advance('1h');
    expect(call).toEqual({ state: 'rejected', outcome: reason });
    expect(signal.reason).toBe(reason);
    expect([clock.pendingTimers, getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0]);
  });

  it('leaves no timer when the function itself lets its caller abort [R36]', async () => {
    const { clock, timeout } = tenSeconds();
    const controller = new AbortController();
    const seen: unknown[] = [];
    const inner = new TimeoutPolicy(5, { clock });
    const calls: ReturnType<typeof watch>[] = [];
    const afterwards = jest.fn(hang);
    const call = watch(
      timeout.runWith({ signal: controller.signal }, () => {
        calls.push(watch(inner.run(hang)));
        controller.abort('from within');
        seen.push(currentAttempt().signal.reason);
        calls.push(watch(inner.run(afterwards)), watch(new RetryPolicy({ clock }).run(afterwards)));
        return hang();
      }),
    );
    await clock.advance(0);
    expect(call).toEqual({ state: 'rejected', outcome: 'from within' });
    expect(calls).toEqual(Array(3).fill({ state: 'rejected', outcome: 'from within' }));
    expect(afterwards).not.toHaveBeenCalled();
    expect(seen).toEqual(['from within']);
    expect([clock.pendingTimers, getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0]);
  });

  it('does not call the function for a signal that was aborted beforehand', async () => {
    const fn = jest.fn();
    await expect(tenSeconds().timeout.runWith({ signal: AbortSignal.abort('before') }, fn)).rejects.toBe(
      'before',
    );
    expect(fn).not.toHaveBeenCalled();
  });

  it('passes failures on as they are, thrown or rejected, and lets go of its timer', async () => {
    const { clock, timeout } = tenSeconds();
    for (const failure of [Object.freeze(new Error('frozen')), 'boom', undefined, null, Symbol('boom')]) {
      await expect(timeout.run(() => Promise.reject(failure))).rejects.toBe(failure);
      const throws = (): never => {
        throw failure;
      };
      await expect(timeout.run(throws)).rejects.toBe(failure);
    }
    expect(clock.pendingTimers).toBe(0);
  });

  // B081
  it('refuses a promise instead of a function', () => {
    expect(() => tenSeconds().timeout.run(Promise.resolve(1) as never)).toThrow(
      'fn is a promise; give a function',
    );
  });
});
