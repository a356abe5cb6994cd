import type { CircuitBreakerOptions } from '../../lib/index.js';
import { CircuitBreaker } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { scene } from '../operation/support.js';
import { deferred, type Deferred } from '../support/deferred.js';

export const TIMEOUT = 0.1;

/** An operation with a timeout of 100 ms, whose upstream answers when the test says so. */
export function stalling(
  options: Parameters<typeof scene>[1] = {},
  breakerOptions: CircuitBreakerOptions = { ignoreLocalStalls: true },
) {
  const clock = new FakeClock();
  const breaker = new CircuitBreaker({
    name: 'rates',
    failureThreshold: 1,
    recoveryTimeout: 1,
    clock,
    ...breakerOptions,
  });
  const answers: Deferred<unknown>[] = [];
  const upstream = (): Promise<unknown> => {
    const answer = deferred<unknown>();
    answers.push(answer);
    return answer.promise;
  };
  const given = { timeout: TIMEOUT, circuitBreaker: breaker, ...options };
  const { run, reports, sink } = scene(upstream, given, clock);
  const begin = () => {
    let settled = false;
    const outcome = run().then(
      ({ value }) => ({ value: value as unknown }),
      (error: unknown) => ({ error }),
    );
    void outcome.then(() => (settled = true));
    return { outcome, isSettled: () => settled };
  };
  return { clock, breaker, answers, begin, reports, sink };
}

/** The event loop is blocked for so long; then timers run, and after them what has arrived. */
export async function blockFor(clock: FakeClock, seconds: number): Promise<void> {
  clock.stall(seconds);
  await clock.advance(0);
}
