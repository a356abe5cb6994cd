import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, CircuitBreakerOpenError } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { gives, hangs, recoveredBreaker, scene, Upstream } from './support.js';

describe('the deadline and a circuit breaker', () => {
  it('records nothing when only the deadline cut the attempt', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1 });
    await scene(hangs, { deadline: 5, timeout: 10, circuitBreaker }).failure();
    await scene(hangs, { deadline: 5, circuitBreaker }).failure();
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
  });

  it('records nothing when it cut a validator, though that took longer than the timeout', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1 });
    const validate = () => hangs() as Promise<boolean>;
    const error = await scene(gives(1), { deadline: 5, timeout: 1, circuitBreaker, validate }).failure();
    expect(error.cause).toMatchObject({ scope: 'deadline' });
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
  });

  it('records an attempt that had outlived its own timeout as well', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1 });
    const error = await scene(hangs, { deadline: 5, timeout: 5, circuitBreaker }).failure();
    expect(error.report.status).toBe('timed_out');
    expect(circuitBreaker.state).toBe('open');
  });

  it('gives the slot of a probe back', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await recoveredBreaker(clock);
    await scene(hangs, { deadline: 5, circuitBreaker }, clock).failure();
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'half_open', halfOpenProbeInFlight: false });
    await scene(gives(1), { circuitBreaker }, clock).result();
    expect(circuitBreaker.state).toBe('closed');
  });

  it('counts timeouts, so that they open it, and answers all of them by the fallback', async () => {
    // B041
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 3 });
    const upstream = new Upstream(hangs);
    const { result, reports, clock } = scene(upstream.call, {
      timeout: '50ms',
      circuitBreaker,
      fallback: gives('F'),
    });
    const values: unknown[] = [];
    const states: string[] = [];
    for (let call = 1; call <= 4; call += 1) {
      values.push((await result()).value);
      states.push(circuitBreaker.state);
    }
    expect(values).toEqual(['F', 'F', 'F', 'F']);
    expect(states).toEqual(['closed', 'closed', 'open', 'open']);
    expect(upstream.calls).toHaveLength(3);
    expect(reports.at(-1)?.attempts[0]?.error?.type).toBe(CircuitBreakerOpenError.prototype.name);
    expect(clock.pendingTimers).toBe(0);
  });
});
