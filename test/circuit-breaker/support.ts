import { jest } from '@jest/globals';
import { CircuitBreaker, type CircuitBreakerOptions, type CircuitBreakerSnapshot } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { rejection } from '../operation/support.js';
import { deferred, type Deferred } from '../support/deferred.js';

/** A breaker that opens at the second failure, for ten seconds, and the clock it goes by. */
export function setUp(options: CircuitBreakerOptions = {}): { clock: FakeClock; breaker: CircuitBreaker } {
  const clock = new FakeClock();
  const breaker = new CircuitBreaker({
    name: 'payments',
    failureThreshold: 2,
    recoveryTimeout: 10,
    clock,
    ...options,
  });
  return { clock, breaker };
}

/** Lets calls fail, one after another; by default as many as open it. */
export async function failCalls(
  breaker: CircuitBreaker,
  times = breaker.failureThreshold ?? 0,
): Promise<void> {
  for (let call = 0; call < times; call += 1) await failWith(breaker, new Error('down'));
}

/** One call that fails; gives what its caller got. */
export function failWith(breaker: CircuitBreaker, error: unknown): Promise<any> {
  return rejection(
    breaker.run(() => {
      throw error;
    }),
  );
}

/** A breaker whose recovery time has just passed: the next call is a probe. */
export async function setUpProbeDue(options: CircuitBreakerOptions = {}) {
  const { clock, breaker } = setUp(options);
  await failCalls(breaker);
  await clock.advance(breaker.recoveryTimeoutSeconds);
  return { clock, breaker };
}

/** A call that ends when the test says so. */
export interface OpenCall extends Deferred<unknown> {
  readonly outcome: Promise<unknown>;
}

export function beginCall(breaker: CircuitBreaker, signal?: AbortSignal): OpenCall {
  const work = deferred<unknown>();
  const outcome = breaker.runWith({ signal }, () => work.promise);
  outcome.catch(() => undefined);
  return { ...work, outcome };
}

/** What a refused call's caller got, and how often the function was called: never, if all is well. */
export async function refusedCall(breaker: CircuitBreaker) {
  const fn = jest.fn(() => 'never');
  const error = await rejection(breaker.run(fn));
  return { error, calls: fn.mock.calls.length };
}

/** What a breaker that was never used says of itself. */
export const untouched: CircuitBreakerSnapshot = {
  name: 'payments',
  state: 'closed',
  forced: null,
  forcedReason: null,
  failureCount: 0,
  failureThreshold: 2,
  calls: null,
  failureRate: null,
  slowCalls: null,
  slowCallRate: null,
  budget: null,
  openedAt: null,
  openedBy: null,
  recoveryTimeoutSeconds: 10,
  halfOpenProbeInFlight: false,
  probesInFlight: 0,
  shared: null,
  probeDue: false,
  retryAfterSeconds: 0,
  open: false,
  closed: true,
  halfOpen: false,
};
