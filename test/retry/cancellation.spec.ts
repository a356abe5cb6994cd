import { getEventListeners } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import {
  attemptSignal,
  ConfigurationError,
  currentAttempt,
  RetryPolicy,
  TimeoutPolicy,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { hang, watch } from '../support/watch.js';
import { failing, onFakeClock } from './support.js';

function listeners(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}

describe('a cancelled retry policy', () => {
  it('never retries a cancellation, however broad the filter [R21]', async () => {
    const { clock, policy, waits } = onFakeClock({ retryOn: () => true });
    const controller = new AbortController();
    const reason = new Error('the caller is gone');
    const fn = jest.fn(hang);
    const call = watch(policy.runWith({ signal: controller.signal }, fn));
    await clock.advance('1s');
    controller.abort(reason);
    await clock.advance('1h');
    expect(call).toEqual({ state: 'rejected', outcome: reason });
    expect(fn).toHaveBeenCalledTimes(1);
    expect(waits()).toEqual([]);
    expect(listeners(controller.signal)).toBe(0);
  });

  // B019
  it('ends a wait at once, with the very reason of the signal, and leaves no timer [R21]', async () => {
    const { clock, policy } = onFakeClock();
    const controller = new AbortController();
    const fn = failing(new Error('upstream'));
    const call = watch(policy.runWith({ signal: controller.signal }, fn));
    await clock.advance('20ms');
    expect(clock.pendingTimers).toBe(1);
    controller.abort('a reason that is no error');
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(0);
    expect(call).toEqual({ state: 'rejected', outcome: 'a reason that is no error' });
    expect(fn).toHaveBeenCalledTimes(1);
    expect(listeners(controller.signal)).toBe(0);
  });

  it('does not call anything when the signal was aborted beforehand', async () => {
    const { policy, waits } = onFakeClock();
    const fn = jest.fn();
    const reason = new Error('gone before');
    await expect(policy.runWith({ signal: AbortSignal.abort(reason) }, fn)).rejects.toBe(reason);
    expect(fn).not.toHaveBeenCalled();
    expect(waits()).toEqual([]);
  });

  // B021, B022
  it('ends with the reason when an attempt fails because of the abort', async () => {
    const { clock, policy } = onFakeClock();
    const controller = new AbortController();
    const fn = jest.fn(async () => {
      const { signal } = currentAttempt();
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('client: aborted'))),
      );
    });
    const call = watch(policy.runWith({ signal: controller.signal }, fn));
    await clock.advance('1s');
    const reason = new Error('the caller is gone');
    controller.abort(reason);
    await clock.advance('1h');
    expect(call).toEqual({ state: 'rejected', outcome: reason });
    expect(fn).toHaveBeenCalledTimes(1);
  });

  it.each([1, 3])(
    'ends with the reason when the abort comes right after a failure, of %p attempts',
    async (maxAttempts) => {
      const { clock, policy, waits } = onFakeClock({ maxAttempts });
      const controller = new AbortController();
      const reason = new Error('the caller is gone');
      const failure = Promise.reject(new Error('upstream'));
      failure.catch(() => controller.abort(reason));
      const fn = jest.fn(() => failure);
      await expect(clock.settle(policy.runWith({ signal: controller.signal }, fn))).rejects.toBe(reason);
      expect(fn).toHaveBeenCalledTimes(1);
      expect(waits()).toEqual([]);
    },
  );

  it('ends with the reason when the function itself lets its caller abort', async () => {
    const { clock, policy } = onFakeClock();
    const controller = new AbortController();
    const reason = new Error('from within');
    const seen: unknown[] = [];
    const fn = jest.fn(() => {
      controller.abort(reason);
      seen.push(attemptSignal()?.reason);
      throw new Error('and fails');
    });
    await expect(clock.settle(policy.runWith({ signal: controller.signal }, fn))).rejects.toBe(reason);
    expect(seen).toEqual([reason]);
    expect(fn).toHaveBeenCalledTimes(1);
  });

  // B026
  it("aborts the attempt's signal with the caller's reason, and gives each attempt a fresh one", async () => {
    const { clock, policy } = onFakeClock();
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    const fn = jest.fn(async () => {
      signals.push(currentAttempt().signal);
      if (signals.length === 1) throw new Error('first');
      await hang();
    });
    watch(policy.runWith({ signal: controller.signal }, fn));
    await clock.advance('1s');
    expect(signals[0]).not.toBe(signals[1]);
    const reason = new Error('the caller is gone');
    controller.abort(reason);
    expect(signals.map((signal) => [signal.aborted, signal.reason as unknown])).toEqual([
      [false, undefined],
      [true, reason],
    ]);
  });

  // B001, B002
  it("has at most one listener on the caller's signal, and none afterwards", async () => {
    const { clock, policy } = onFakeClock({ maxAttempts: 51 });
    const { signal } = new AbortController();
    const timeout = new TimeoutPolicy('100ms', { clock });
    let most = 0;
    const fails = (): Promise<never> => {
      most = Math.max(most, listeners(signal));
      return timeout.runWith({ signal }, () => Promise.reject(new Error()));
    };
    await clock.settle(policy.runWith({ signal }, fails).catch(() => undefined));
    expect([most, listeners(signal)]).toEqual([1, 0]);
    for (let call = 0; call < 1_000; call += 1) await policy.runWith({ signal }, async () => call);
    expect(listeners(signal)).toBe(0);
  });

  it.each(['signal', 5, null, {}, new AbortController()])(
    'refuses %p as a signal, and calls nothing',
    async (signal) => {
      const { policy } = onFakeClock();
      const fn = jest.fn();
      await expect(policy.runWith({ signal: signal as never }, fn)).rejects.toBeInstanceOf(
        ConfigurationError,
      );
      await expect(policy.runWith({ signal: signal as never }, fn)).rejects.toMatchObject({
        option: 'signal',
      });
      expect(fn).not.toHaveBeenCalled();
    },
  );
});

describe('a retry policy inside an attempt', () => {
  /** Retries without end, as far as its own rules go, within a timeout of ten seconds. */
  function retriedWithinTimeout(given?: AbortSignal) {
    const clock = new FakeClock();
    const inner = jest.fn(() => Promise.reject(new Error('inner')));
    const policy = new RetryPolicy({ maxAttempts: 1_000, backoff: { delayForRetry: () => 4 }, clock });
    const outer = new TimeoutPolicy('10s', { clock }).run(() => policy.runWith({ signal: given }, inner));
    return { clock, inner, call: watch(outer) };
  }

  it('ends with it: no inner retry runs after the outer timeout, not even out of a wait', async () => {
    const { clock, inner, call } = retriedWithinTimeout();
    await clock.advance('1h');
    expect(call.outcome).toMatchObject({ name: 'OperationTimeoutError', timeoutSeconds: 10 });
    expect(inner).toHaveBeenCalledTimes(3);
    expect(clock.pendingTimers).toBe(0);
  });

  it('still ends with the signal that it was given itself', async () => {
    const controller = new AbortController();
    const { clock, inner, call } = retriedWithinTimeout(controller.signal);
    await clock.advance('5s');
    controller.abort('given up');
    await clock.advance(0);
    expect(call).toEqual({ state: 'rejected', outcome: 'given up' });
    expect(inner).toHaveBeenCalledTimes(2);
    expect([clock.pendingTimers, listeners(controller.signal)]).toEqual([0, 0]);
  });

  it('leaves nothing behind in either signal when it ends first', async () => {
    const clock = new FakeClock();
    const { signal } = new AbortController();
    const policy = new RetryPolicy({ clock });
    const outer = new TimeoutPolicy('10s', { clock });
    expect(await outer.runWith({ signal }, () => policy.runWith({ signal }, async () => 'done'))).toBe(
      'done',
    );
    expect([clock.pendingTimers, listeners(signal)]).toEqual([0, 0]);
  });
});
