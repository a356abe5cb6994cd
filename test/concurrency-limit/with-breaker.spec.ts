import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, ConcurrencyLimit } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, gives, hangs, rejection, rejects, scene } from '../operation/support.js';

const broken = rejects(new RangeError('broken'));

/** A limit and the clock of those who share it. */
function pool(maxConcurrent = 1, queue: { readonly size?: number; readonly maxWait?: number } = {}) {
  const clock = new FakeClock();
  return { clock, limit: new ConcurrencyLimit({ name: 'pool', maxConcurrent, queue, clock }) };
}

const causeOf = async (promise: Promise<unknown>): Promise<any> => (await rejection(promise)).cause;

describe('a concurrency limit beside a circuit breaker', () => {
  it('refuses, and that is no failure for a circuit breaker', async () => {
    const { clock, limit } = pool();
    const circuitBreaker = new CircuitBreaker({ name: 'b', failureThreshold: 1, clock });
    const seen = scene(hangs, { concurrencyLimit: limit, circuitBreaker }, clock);
    seen.run().catch(() => undefined);
    for (let call = 0; call < 5; call += 1) await rejection(seen.run());
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
  });

  it('refuses a probe, whose place at the breaker stays free', async () => {
    const { clock, limit } = pool();
    const circuitBreaker = new CircuitBreaker({ name: 'b', failureThreshold: 1, recoveryTimeout: 10, clock });
    await rejection(circuitBreaker.run(() => broken()));
    await clock.advance(10);
    const busy = scene(after(clock, 5, gives('up')), { concurrencyLimit: limit }, clock).run();
    const seen = scene(gives('up'), { concurrencyLimit: limit, circuitBreaker }, clock);
    expect((await causeOf(seen.run())).name).toBe('ConcurrencyLimitError');
    expect(circuitBreaker.snapshot()).toMatchObject({ probeDue: true, halfOpenProbeInFlight: false });
    await clock.settle(busy);
    await seen.run();
    expect(circuitBreaker.state).toBe('closed');
  });

  it('is not queued for by a call that the breaker would refuse', async () => {
    const { clock, limit } = pool(1, { size: 5 });
    const circuitBreaker = new CircuitBreaker({ name: 'b', failureThreshold: 1, clock });
    await rejection(circuitBreaker.run(() => broken()));
    scene(hangs, { concurrencyLimit: limit }, clock)
      .run()
      .catch(() => undefined);
    const seen = scene(gives('up'), { concurrencyLimit: limit, circuitBreaker }, clock);
    expect((await causeOf(seen.run())).name).toBe('CircuitBreakerOpenError');
    expect(limit.snapshot().waiting).toBe(0);
  });
});
