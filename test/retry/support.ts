import { jest } from '@jest/globals';
import { ExponentialBackoff, RetryPolicy, type RetryPolicyOptions } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';

/** A retry policy on a fake clock, with delays of 0.5, 1, 2, 2, … and a note of each wait that the clock was asked for. */
export function onFakeClock(options: RetryPolicyOptions = {}) {
  const clock = new FakeClock();
  const setTimer = jest.spyOn(clock, 'setTimer');
  const backoff = new ExponentialBackoff({ baseDelay: 0.5, maxDelay: 2, jitter: false });
  const policy = new RetryPolicy({ backoff, clock, ...options });
  const waits = (): number[] => setTimer.mock.calls.map(([, delayMs]) => delayMs);
  return { clock, policy, waits };
}

/** A function that fails with each of these in turn, and then gives `'done'`. */
export function failing(...failures: unknown[]) {
  return jest.fn((..._args: unknown[]): Promise<string> => {
    if (failures.length === 0) return Promise.resolve('done');
    return Promise.reject(failures.shift());
  });
}
