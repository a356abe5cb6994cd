import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, CircuitBreakerOpenError, retryAfterFromHeaders } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  everySeconds,
  gives,
  openBreaker,
  recoveredBreaker,
  rejects,
  scene,
  story,
  Upstream,
} from '../operation/support.js';
import { closed, limited, limiting, listening, RateLimitError, refused, steps, totals } from './support.js';

/** A breaker that the first failure opens for 30 s. */
const touchy = (clock: FakeClock) =>
  new CircuitBreaker({ name: 'b', failureThreshold: 1, recoveryTimeout: 30, clock });

describe('a rate limit and a circuit breaker', () => {
  it.each([30, 40])('wait together: a hint of %p s outlasts the recovery and is waited for', async (hint) => {
    const clock = new FakeClock();
    const circuitBreaker = touchy(clock);
    const { result, sink } = scene(limiting(hint).call, { ...listening, circuitBreaker }, clock);
    const { report } = await result();
    expect(steps(report)).toEqual([
      ['RateLimitError', hint],
      ['succeeded', 0],
    ]);
    expect(totals(report)).toEqual([true, hint, false]);
    expect(story(sink)).toBe(
      'OS AS rate_limit.detected circuit_breaker.opened AF retry.scheduled circuit_breaker.half_opened AS circuit_breaker.closed AOK OOK',
    );
  });

  it('do not wait where the hint ends before the recovery: the next attempt is refused at once', async () => {
    const clock = new FakeClock();
    const circuitBreaker = touchy(clock);
    const { failure, sink } = scene(closed(29.999).call, { ...listening, circuitBreaker }, clock);
    const { report, cause } = await failure();
    expect(cause).toBeInstanceOf(CircuitBreakerOpenError);
    expect((cause as Error).cause).toBeInstanceOf(RateLimitError);
    expect(steps(report)).toEqual([
      ['RateLimitError', 0],
      ['CircuitBreakerOpenError', 0],
    ]);
    // What was not waited for is chosen, told and not summed up.
    expect(report.attempts[0]?.metadata).toEqual(limited(29.999));
    expect(totals(report)).toEqual([true, 0, false]);
    const scheduled = sink.events().filter(({ eventType }) => eventType === 'retry.scheduled');
    expect(scheduled.map(({ payload }) => payload)).toMatchObject([
      { delay_seconds: 0, delay_source: 'provider', rate_limited: true, retry_after_seconds: 29.999 },
    ]);
    expect(clock.monotonicMs()).toBe(0);
  });

  it('count the recovery from when it began, not from the limit', async () => {
    const clock = new FakeClock();
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 2, recoveryTimeout: 30, clock });
    const options = { ...listening, circuitBreaker, backoff: everySeconds(20) };
    const upstream = new Upstream(
      rejects(new RateLimitError()),
      rejects(new RateLimitError(30)),
      gives('ok'),
    );
    const { report } = await scene(upstream.call, options, clock).result();
    expect(report.attempts.map(({ waitedSeconds }) => waitedSeconds)).toEqual([20, 30, 0]);
  });

  it('keep to the limit of waits, however long the recovery', async () => {
    const clock = new FakeClock();
    const circuitBreaker = touchy(clock);
    const options = { ...listening, circuitBreaker, maxRateLimitWait: 35 };
    const { report } = await scene(limiting(40).call, options, clock).failure();
    expect([report.attemptCount, ...totals(report)]).toEqual([1, true, 0, true]);
    expect(circuitBreaker.state).toBe('open');
  });

  it('record the failure that was met, where the filter of the breaker counts it', async () => {
    const counting = new CircuitBreaker({ recordFailureOn: [RateLimitError] });
    const options = { ...listening, retries: 2, circuitBreaker: counting };
    await scene(closed(1).call, options).failure();
    expect(counting.snapshot().failureCount).toBe(3);
    const generous = new CircuitBreaker({ failureThreshold: 1, recordFailureOn: [TypeError] });
    await scene(closed(1).call, { ...options, circuitBreaker: generous }).failure();
    expect(generous.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
  });

  it('give the place of a probe back that met a limit which does not count', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await recoveredBreaker(clock, {
      recordFailureOn: (error) => !(error instanceof RateLimitError),
    });
    const { report } = await scene(limiting(7).call, { ...listening, circuitBreaker }, clock).result();
    expect(steps(report)).toEqual([
      ['RateLimitError', 7],
      ['succeeded', 0],
    ]);
    expect(circuitBreaker.state).toBe('closed');
  });
});

describe('a refusal that counts as a rate limit', () => {
  const refusals = {
    ...listening,
    rateLimitOn: [CircuitBreakerOpenError],
    retryAfter: (error: unknown) => (error as CircuitBreakerOpenError).retryAfterSeconds,
  };

  it('is waited for as long as the breaker asks, and probes', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await openBreaker(clock);
    await clock.advance(12.3456);
    const { result, sink } = scene(gives('ok'), { ...refusals, circuitBreaker }, clock);
    const { report } = await result();
    expect(steps(report)).toEqual([
      ['CircuitBreakerOpenError', expect.closeTo(17.6544, 9)],
      ['succeeded', 0],
    ]);
    expect(report.attempts[0]?.metadata).toMatchObject({ circuit_breaker_open: true, rate_limited: true });
    expect(story(sink)).toBe(
      'OS AS rate_limit.detected circuit_breaker.rejected AF retry.scheduled circuit_breaker.half_opened AS circuit_breaker.closed AOK OOK',
    );
  });

  it('is too long to wait for where the limit says so, and goes to the fallback', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await openBreaker(clock);
    const options = { ...refusals, circuitBreaker, maxRateLimitWait: 29, fallback: gives('stand-in') };
    const { value, report } = await scene(gives('ok'), options, clock).result();
    expect([value, report.durationSeconds, ...totals(report)]).toEqual(['stand-in', 0, true, 0, true]);
  });

  it('ends the primary path while a probe runs, as nobody knows when it will be over', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await recoveredBreaker(clock);
    void circuitBreaker.run(() => new Promise(() => undefined));
    const { report } = await scene(gives('ok'), { ...refusals, circuitBreaker }, clock).failure();
    expect(report.attempts.map(({ error }) => error?.type)).toEqual(['CircuitBreakerOpenError']);
    expect(report.metadata).toMatchObject(totalsOf(2));
    expect(clock.monotonicMs()).toBe(30_000);
  });

  it('brings no hint of its own from the failure beneath it, which was waited for already', async () => {
    const clock = new FakeClock();
    const circuitBreaker = touchy(clock);
    const upstream = new Upstream(rejects(refused({ 'Retry-After': '7' })));
    const { report } = await scene(
      upstream.call,
      { ...listening, rateLimitOn: () => true, retryAfter: retryAfterFromHeaders, circuitBreaker },
      clock,
    ).failure();
    expect(report.attempts.map(({ metadata }) => metadata.rate_limit_retry_after_seconds)).toEqual([7, null]);
  });
});

/** Limited, with the back-off chosen and not waited for. */
function totalsOf(delay: number): object {
  return {
    rate_limited: true,
    rate_limit_delay_seconds: delay,
    rate_limit_delay_source: 'backoff',
    rate_limit_encountered: true,
    rate_limit_wait_seconds: 0,
  };
}
