import { describe, expect, it } from '@jest/globals';
import {
  CircuitBreaker,
  CircuitBreakerOpenError,
  ExponentialBackoff,
  httpCircuitBreaker,
  httpPolicy,
  type HttpPolicyOptions,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { gives, hangs, rejects, scene, Upstream, type Step } from '../operation/support.js';
import { steps, totals } from '../rate-limit/support.js';
import { failureOf, failureWith } from './support.js';

/** One call under the standard policy, of an upstream that answers like this. */
function call(
  answers: Step[],
  options: Partial<HttpPolicyOptions<CircuitBreaker | false>> = {},
  more: object = {},
) {
  const clock = new FakeClock();
  const upstream = new Upstream(...answers);
  const policy = httpPolicy({ circuitBreaker: false, ...options });
  return { upstream, ...scene(upstream.call, { ...policy, random: () => 1, ...more }, clock) };
}

const unavailable = rejects(failureWith(503));
const asked = (seconds: number, status = 429): Step =>
  rejects(failureWith(status, { 'Retry-After': `${seconds}` }));

describe('a call under the standard policy of HTTP', () => {
  it('is tried four times, with longer and longer waits', async () => {
    const { failure, upstream } = call([unavailable]);
    const { report } = await failure();
    expect(upstream.calls).toHaveLength(4);
    expect(report.attempts.map(({ waitedSeconds }) => waitedSeconds)).toEqual([0.5, 1, 2, 0]);
    expect(totals(report)).toEqual([false, 0, false]);
  });

  it('spreads its waits from nothing to the whole', async () => {
    const { result, clock } = call([unavailable, gives('ok')], {}, { random: () => 0 });
    await result();
    expect(clock.monotonicMs()).toBe(0);
  });

  it('waits as long as the provider asks, at 429 and at 503', async () => {
    const { report } = await call([asked(7), asked(3, 503), gives('ok')]).result();
    expect(steps(report)).toEqual([
      ['Error', 7],
      ['Error', 3],
      ['succeeded', 0],
    ]);
    expect(totals(report)).toEqual([true, 10, false]);
  });

  it('waits by the back-off for a limit that says no time', async () => {
    const { report } = await call([rejects(failureWith(429)), gives('ok')]).result();
    expect([report.durationSeconds, ...totals(report)]).toEqual([0.5, true, 0.5, false]);
  });

  it.each([30, 45])('does not begin a wait of %p s, for which its deadline has no room', async (seconds) => {
    const { report } = await call([asked(seconds)]).failure();
    expect([report.attemptCount, report.durationSeconds, report.metadata.deadline_exhausted]).toEqual([
      1,
      0,
      true,
    ]);
  });

  it('stops where the wait is longer than the provider may ask for', async () => {
    const { report } = await call([asked(6)], { maxRateLimitWait: 5 }).failure();
    expect(totals(report)).toEqual([true, 0, true]);
    expect((await call([asked(61)]).failure()).report.metadata.rate_limit_wait_exceeded).toBe(true);
  });

  it('gives each try 10 s and all of them 30 s', async () => {
    const { report } = await call([hangs], {}, { random: () => 0 }).failure();
    expect(report.attempts.map(({ status, durationSeconds }) => [status, durationSeconds])).toEqual([
      ['timed_out', 10],
      ['timed_out', 10],
      ['timed_out', 10],
    ]);
    expect([report.status, report.durationSeconds, report.metadata.deadline_exhausted]).toEqual([
      'timed_out',
      30,
      true,
    ]);
  });

  it.each([400, 404, 409, 422])('is over at once after status %p', async (status) => {
    const { failure, upstream } = call([rejects(failureWith(status))]);
    await failure();
    expect(upstream.calls).toHaveLength(1);
  });

  it.each(['POST', 'PATCH'] as const)('of a %s is one try, whatever the failure', async (method) => {
    for (const answer of [unavailable, asked(1), rejects(failureOf('ECONNRESET')), hangs]) {
      const { failure, upstream } = call([answer], { method });
      const { report } = await failure();
      expect([upstream.calls.length, report.attemptCount]).toEqual([1, 1]);
    }
    const limited = await call([asked(1e6)], { method }).failure();
    expect(totals(limited.report)).toEqual([true, 0, false]);
  });

  it('of a POST with a key is repeated, after a timeout too', async () => {
    const { result, upstream } = call([hangs, unavailable, gives('ok')], {
      method: 'POST',
      idempotencyKey: true,
    });
    expect((await result()).value).toBe('ok');
    expect(upstream.calls).toHaveLength(3);
  });
});

describe('its circuit breaker', () => {
  /** A breaker of HTTP that two failures open. */
  const breakerOf = () => new CircuitBreaker(httpCircuitBreaker('b', { failureThreshold: 2 }));

  it('opens by failures of the dependency, and ends the waiting', async () => {
    const { failure, upstream } = call([unavailable], { circuitBreaker: breakerOf() });
    const { report, cause } = await failure();
    expect(cause).toBeInstanceOf(CircuitBreakerOpenError);
    expect([upstream.calls.length, report.attemptCount, report.durationSeconds]).toEqual([2, 3, 0.5]);
  });

  it.each([
    ['limits', rejects(failureWith(429))],
    ['mistakes of the request', rejects(failureWith(404))],
  ])('stays closed after %s, however many', async (_what, answer) => {
    const circuitBreaker = breakerOf();
    for (let calls = 0; calls < 5; calls += 1) await call([answer], { circuitBreaker }).failure();
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
  });

  it('is not closed by a limit or a mistake that its probe meets, nor opened', async () => {
    const circuitBreaker = breakerOf();
    const clock = new FakeClock();
    const policy = httpPolicy({ circuitBreaker });
    const upstream = new Upstream(unavailable, unavailable, rejects(failureWith(404)), gives('ok'));
    const { run } = scene(upstream.call, policy, clock);
    await clock.settle(run().catch(() => undefined));
    expect(circuitBreaker.state).toBe('open');
    await clock.advance('30s');
    await clock.settle(run().catch(() => undefined));
    expect(circuitBreaker.snapshot()).toMatchObject({ state: 'half_open', halfOpenProbeInFlight: false });
    await clock.settle(run());
    expect(circuitBreaker.state).toBe('closed');
  });

  it('counts timeouts of attempts, and nothing that only the deadline cut', async () => {
    const circuitBreaker = new CircuitBreaker(httpCircuitBreaker('b', { failureThreshold: 99 }));
    const { report } = await call([hangs], { circuitBreaker, deadline: 25 }, { random: () => 0 }).failure();
    expect(report.attempts.map(({ durationSeconds }) => durationSeconds)).toEqual([10, 10, 5]);
    expect(circuitBreaker.snapshot().failureCount).toBe(2);
  });

  it('counts tries, so that a few calls which take long open it', async () => {
    // B064
    const clock = new FakeClock();
    const circuitBreaker = new CircuitBreaker(httpCircuitBreaker('b', { failureThreshold: 8, clock }));
    const backoff = new ExponentialBackoff({ baseDelay: 0.5, jitter: false });
    const policy = httpPolicy({ circuitBreaker, retries: 4, backoff });
    const { run } = scene(new Upstream(unavailable).call, policy, clock);
    await clock.settle(run().catch(() => undefined));
    expect([clock.monotonicMs(), circuitBreaker.snapshot().failureCount]).toEqual([7_500, 5]);
    await clock.settle(run().catch(() => undefined));
    expect([clock.monotonicMs(), circuitBreaker.state]).toEqual([9_000, 'open']);
  });

  it('is left out with false', async () => {
    const { upstream, failure } = call([unavailable], { circuitBreaker: false });
    expect((await failure()).report.attempts.map(({ metadata }) => metadata.circuit_breaker_open)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(upstream.calls).toHaveLength(4);
  });
});
