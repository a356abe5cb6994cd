import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, OperationTimeoutError, retryAfterFromHeaders } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { after, gives, hangs, rejects, scene, story, Upstream } from '../operation/support.js';
import { closed, limited, limiting, listening, RateLimitError, refused, steps, totals } from './support.js';

describe('a rate limit and the deadline', () => {
  it.each([5, 5.001, 59])('do not begin a wait of %p s, which could not end before it', async (hint) => {
    // B097
    const upstream = closed(hint);
    const { failure, sink, clock } = scene(upstream.call, { ...listening, deadline: '5s' });
    const { report, cause } = await failure();
    expect(cause).toBeInstanceOf(RateLimitError);
    expect([upstream.calls.length, clock.monotonicMs(), report.status]).toEqual([1, 0, 'failed']);
    expect(report.metadata).toMatchObject({ ...limited(hint), deadline_exhausted: true });
    // It was no longer than a wait may be: it was the deadline that had no room for it.
    expect(totals(report)).toEqual([true, 0, false]);
    expect(story(sink)).toBe('OS AS rate_limit.detected AF OF');
  });

  it('leave room for a hint that ends in time, and for as many as do', async () => {
    const { report } = await scene(limiting(2, 2, 2).call, { ...listening, deadline: '5s' }).failure();
    expect(steps(report)).toEqual([
      ['RateLimitError', 2],
      ['RateLimitError', 2],
      ['RateLimitError', 0],
    ]);
    expect(totals(report)).toEqual([true, 4, false]);
    expect(report.metadata.deadline_exhausted).toBe(true);
  });

  it('let the fallback answer, which is outside of both', async () => {
    const options = { ...listening, deadline: '5s', fallback: gives('stand-in') } as const;
    const { value, report } = await scene(closed(6).call, options).result();
    expect([value, report.durationSeconds, report.metadata.deadline_exhausted]).toEqual([
      'stand-in',
      0,
      true,
    ]);
  });

  it('say that a wait is too long before they say that time is up', async () => {
    const options = { ...listening, deadline: '5s', maxRateLimitWait: 4 } as const;
    const { report } = await scene(closed(6).call, options).failure();
    expect(totals(report)).toEqual([true, 0, true]);
    expect(report.metadata).not.toHaveProperty('deadline_exhausted');
  });

  it('wait by the clock that never jumps, and read dates by the wall clock of the call', async () => {
    const clock = new FakeClock();
    const date = { 'Retry-After': 'Thu, 01 Jan 2026 00:00:09 GMT' };
    const upstream = new Upstream(after(clock, 2, rejects(refused(date))), gives('ok'));
    const { run } = scene(
      upstream.call,
      { ...listening, rateLimitOn: [Error], retryAfter: retryAfterFromHeaders },
      clock,
    );
    const running = run();
    await clock.advance(3);
    clock.stepWall('1h');
    const { report } = await clock.settle(running);
    expect(report.attempts[0]).toMatchObject({ waitedSeconds: 7, metadata: limited(7) });
    expect(clock.monotonicMs()).toBe(9_000);
  });
});

describe('a rate limit and the timeout', () => {
  const timeouts = { ...listening, timeout: 3, rateLimitOn: [OperationTimeoutError], retryAfter: () => 5 };

  it('may be one and the same, and the attempt is a timeout still', async () => {
    const { report } = await scene(new Upstream(hangs, gives('ok')).call, timeouts).result();
    expect(report.attempts.map(({ status, waitedSeconds }) => [status, waitedSeconds])).toEqual([
      ['timed_out', 5],
      ['succeeded', 0],
    ]);
    expect(report.attempts[0]?.metadata).toEqual(limited(5));
    expect(report.durationSeconds).toBe(8);
  });

  it('end a call as timed out where the wait is too long', async () => {
    const { report } = await scene(hangs, { ...timeouts, maxRateLimitWait: 4 }).failure();
    expect([report.status, report.attemptCount, ...totals(report)]).toEqual(['timed_out', 1, true, 0, true]);
  });

  it('are not repeated where the work may have been done: idempotent is false', async () => {
    const upstream = new Upstream(hangs, gives('ok'));
    const { report } = await scene(upstream.call, { ...timeouts, idempotent: false }).failure();
    expect([upstream.calls.length, report.lastError?.retryable]).toEqual([1, false]);
    expect(report.metadata).toMatchObject(limited(5, null));
    expect(totals(report)).toEqual([true, 0, false]);
  });

  it('are repeated after a limit that the provider told, whatever idempotent says', async () => {
    const { report } = await scene(limiting(4).call, {
      ...listening,
      timeout: 3,
      idempotent: false,
    }).result();
    expect(totals(report)).toEqual([true, 4, false]);
  });

  it('give every attempt its whole time: a wait is not charged to it', async () => {
    const clock = new FakeClock();
    const upstream = new Upstream(
      rejects(new RateLimitError(50)),
      after(clock, 2.9, rejects(new RateLimitError(50))),
      after(clock, 2.9, gives('ok')),
    );
    const { report } = await scene(upstream.call, { ...listening, timeout: 3 }, clock).result();
    expect(report.durationSeconds).toBe(105.8);
  });

  it('and a deadline that cuts an attempt leave nothing to wait for', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1 });
    const options = { ...timeouts, timeout: 10, deadline: 5, circuitBreaker };
    const { report } = await scene(hangs, options).failure();
    expect([report.status, report.durationSeconds]).toEqual(['timed_out', 5]);
    expect(report.metadata).toMatchObject({ ...limited(5), deadline_exhausted: true });
    expect(circuitBreaker.state).toBe('closed');
  });
});
