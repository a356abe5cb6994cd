import { describe, expect, it } from '@jest/globals';
import {
  CircuitBreaker,
  CircuitBreakerOpenError,
  OperationTimeoutError,
  ValidationFailedError,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import {
  everySeconds,
  gives,
  hangs,
  openBreaker,
  rejects,
  scene,
  story,
  Upstream,
} from '../operation/support.js';

const isPositive = (value: number): boolean => value > 0;

describe('a fallback answers', () => {
  it('when the breaker is open [R112]', async () => {
    const clock = new FakeClock();
    const upstream = new Upstream(gives('never'));
    const { result, sink } = scene(
      upstream.call,
      { circuitBreaker: await openBreaker(clock), fallback: gives('F') },
      clock,
    );
    const { value, report } = await result();
    expect([value, upstream.calls]).toEqual(['F', []]);
    expect(report.attempts[0]).toMatchObject({
      status: 'failed',
      metadata: { circuit_breaker_open: true, fallback_used: false },
    });
    expect(report.metadata).toMatchObject({ circuit_breaker_open: false, fallback_used: true });
    expect(story(sink)).toBe('OS AS circuit_breaker.rejected AF fallback.started fallback.succeeded AOK OOK');
  });

  it('when the value is rejected [R113]', async () => {
    const { result, sink } = scene(gives(-1), { validate: isPositive, fallback: gives(5) });
    const { value, report } = await result();
    expect(value).toBe(5);
    expect(report.attempts.map((attempt) => attempt.metadata.validation_valid)).toEqual([false, true]);
    expect(report.lastError).toMatchObject({ type: 'ValidationFailedError' });
    expect(story(sink)).toBe(
      'OS AS validation.failed AF fallback.started validation.succeeded fallback.succeeded AOK OOK',
    );
  });

  it('after a timeout [R114]', async () => {
    const { result, clock } = scene(hangs, { timeout: 2, fallback: gives('F') });
    const { value, report } = await result();
    expect([value, report.status, report.durationSeconds]).toEqual(['F', 'succeeded', 2]);
    expect(report.attempts.map((attempt) => attempt.status)).toEqual(['timed_out', 'succeeded']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('after every try has been too slow, without a timeout of its own [R114]', async () => {
    // B116
    const slow = { timeout: '500ms', retries: 2, backoff: everySeconds(0) } as const;
    const clock = new FakeClock();
    const fallback = () => new Promise((resolve) => void clock.setTimer(() => resolve('F'), 2_000));
    const { value, report } = await scene(hangs, { ...slow, fallback }, clock).result();
    expect(value).toBe('F');
    expect(report.attempts.map((attempt) => attempt.durationSeconds)).toEqual([0.5, 0.5, 0.5, 2]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('after the deadline, which does not cover it', async () => {
    const clock = new FakeClock();
    const fallback = () => new Promise((resolve) => void clock.setTimer(() => resolve('F'), 60_000));
    const { value, report } = await scene(hangs, { deadline: 1, fallback }, clock).result();
    expect([value, report.durationSeconds]).toEqual(['F', 61]);
  });

  it('by its own filter, whatever the breaker and the retries make of the failure', async () => {
    // B112: a 404 is no failure of the dependency, is not worth another try, and yet has a stand-in.
    class NotFound extends Error {}
    const breaker = new CircuitBreaker({
      failureThreshold: 1,
      recordFailureOn: (error) => !(error instanceof NotFound),
    });
    const options = {
      circuitBreaker: breaker,
      retries: 3,
      retryOn: (error: unknown) => !(error instanceof NotFound),
      fallback: gives('nobody'),
    };
    const upstream = new Upstream(rejects(new NotFound('no such user')));
    const { value, report } = await scene(upstream.call, {
      ...options,
      fallbackOn: [NotFound],
    }).result();
    expect([value, upstream.calls.length, report.retryCount]).toEqual(['nobody', 1, 0]);
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
    const without = { ...options, fallbackOn: (error: unknown) => !(error instanceof NotFound) };
    expect((await scene(upstream.call, without).failure()).cause).toBeInstanceOf(NotFound);
  });

  it.each([
    ['an open breaker', CircuitBreakerOpenError],
    ['a timeout', OperationTimeoutError],
    ['a rejected value', ValidationFailedError],
  ])('to %s only, when its filter says so', async (_, errorClass) => {
    const clock = new FakeClock();
    const options = { fallback: gives(1), fallbackOn: [errorClass] };
    const answers = await Promise.all([
      scene(gives(1), { ...options, circuitBreaker: await openBreaker(clock) }, clock)
        .result()
        .catch(() => CircuitBreakerOpenError),
      scene(hangs, { ...options, timeout: 1 }, clock)
        .result()
        .catch(() => OperationTimeoutError),
      scene(gives(-1), { ...options, validate: isPositive }, clock)
        .result()
        .catch(() => ValidationFailedError),
    ]);
    const unanswered = [CircuitBreakerOpenError, OperationTimeoutError, ValidationFailedError].filter(
      (one) => one !== errorClass,
    );
    expect(answers.filter((answer) => typeof answer === 'function')).toEqual(unanswered);
  });
});
