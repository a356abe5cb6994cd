import { describe, expect, it, jest } from '@jest/globals';
import { fallbackChain, nonRetryable, retryAfterFromHeaders } from '../../lib/index.js';
import { everySeconds, gives, rejects, scene, Upstream } from '../operation/support.js';
import { closed, limited, limiting, listening, RateLimitError, refused, steps, totals } from './support.js';

const tooLong = (hint: number | null) => ({ ...limited(hint, null), rate_limit_wait_exceeded: true });

describe('a wait that would be too long', () => {
  it('is not begun, and the call goes straight on to its fallback [R83]', async () => {
    const upstream = closed(60.001);
    const fallback = new Upstream(gives('stand-in'));
    const { run, clock } = scene(upstream.call, { ...listening, fallback: fallback.call });
    const { value, report } = await run('a', 1);
    expect([value, upstream.calls.length, clock.monotonicMs()]).toEqual(['stand-in', 1, 0]);
    expect(fallback.calls).toEqual([['a', 1]]);
    expect(report.attempts[0]?.metadata).toEqual(tooLong(60.001));
    expect(report.attempts[0]?.error?.retryable).toBe(false);
    expect(totals(report)).toEqual([true, 0, true]);
    expect(report.metadata).toMatchObject({ fallback_used: true, fallback_candidate_index: 0 });
    expect('rate_limited' in report.metadata).toBe(false);
  });

  it('ends a call without a fallback after one attempt [R84]', async () => {
    const upstream = closed(61);
    const { report, cause } = await scene(upstream.call, listening).failure();
    expect(cause).toBeInstanceOf(RateLimitError);
    expect([upstream.calls.length, report.status, report.attemptCount]).toEqual([1, 'failed', 1]);
    expect(report.metadata).toEqual({
      ...tooLong(61),
      rate_limit_encountered: true,
      rate_limit_wait_seconds: 0,
      rate_limit_wait_exceeded: true,
    });
  });

  it.each([
    [60, 60, 1],
    [60.001, 60, 0],
    [0.25, '250ms', 1],
    [0.251, '250ms', 0],
    [0, 0, 1],
    [0.001, 0, 0],
  ] as const)(
    'is one above the limit, and not one that is equal to it: %p s under %p [R85]',
    async (hint, maxRateLimitWait, retries) => {
      // B089
      const { run, clock } = scene(limiting(hint).call, { ...listening, maxRateLimitWait });
      const outcome = await clock.settle(run().catch((error) => error));
      expect(outcome.report.retryCount).toBe(retries);
      expect(totals(outcome.report)).toEqual([true, retries === 1 ? hint : 0, retries === 0]);
    },
  );

  it('is a back-off above the limit, too [R86]', async () => {
    const options = { ...listening, maxRateLimitWait: 1.5 };
    const { report } = await scene(closed().call, options).failure();
    expect(report.metadata).toMatchObject(tooLong(null));
    expect([report.attemptCount, report.durationSeconds]).toEqual([1, 0]);
  });

  it('is judged by itself: several waits may be longer than the limit together', async () => {
    const { report } = await scene(limiting(5, 5, 5).call, { ...listening, maxRateLimitWait: 5 }).result();
    expect(totals(report)).toEqual([true, 15, false]);
  });

  it('ends the call whenever it comes, and counts what was waited before', async () => {
    const { report } = await scene(limiting(5, 6).call, { ...listening, maxRateLimitWait: 5 }).failure();
    expect(steps(report)).toEqual([
      ['RateLimitError', 5],
      ['RateLimitError', 0],
    ]);
    expect(totals(report)).toEqual([true, 5, true]);
  });

  it('is said of the call even if another failure came after it', async () => {
    const options = {
      ...listening,
      maxRateLimitWait: 5,
      fallbacks: fallbackChain(['no', rejects(new Error('no'))]),
    };
    const { report } = await scene(closed(6).call, options).failure();
    expect([report.attemptCount, ...totals(report)]).toEqual([2, true, 0, true]);
    expect('rate_limit_retry_after_seconds' in report.metadata).toBe(false);
  });

  it('is none for a failure that is no rate limit', async () => {
    const { report } = await scene(new Upstream(rejects(new Error('no')), gives('ok')).call, {
      ...listening,
      maxRateLimitWait: 1,
    }).result();
    expect(steps(report)).toEqual([
      ['Error', 2],
      ['succeeded', 0],
    ]);
    expect(totals(report)).toEqual([false, 0, false]);
  });

  // B092
  it.each(['99999999999999999999', '2147483648', '9'.repeat(300)])(
    'is that of %p s, whatever is allowed: nobody waits for 68 years',
    async (seconds) => {
      const upstream = new Upstream(rejects(refused({ 'Retry-After': seconds })));
      const { report } = await scene(upstream.call, {
        retries: 1,
        rateLimitOn: [Error],
        retryAfter: retryAfterFromHeaders,
        maxRateLimitWait: '9000000h',
      }).failure();
      expect(report.metadata).toMatchObject(tooLong(2_147_483_648));
      expect(upstream.calls).toHaveLength(1);
    },
  );

  it('is a gRPC push-back that says "do not try again"', async () => {
    const upstream = new Upstream(
      rejects(Object.assign(new Error(), { metadata: { 'grpc-retry-pushback-ms': '-1' } })),
    );
    const { report } = await scene(upstream.call, {
      retries: 3,
      rateLimitOn: [Error],
      retryAfter: retryAfterFromHeaders,
    }).failure();
    expect([report.attemptCount, report.metadata.rate_limit_wait_exceeded]).toEqual([1, true]);
  });
});

describe('without another try', () => {
  it.each([1, 1e9])('a hint of %p s is noticed, and never too long [R87]', async (hint) => {
    for (const options of [{ retries: undefined, backoff: undefined }, { retries: 0 }]) {
      const upstream = closed(hint);
      const { report } = await scene(upstream.call, { ...listening, ...options }).failure();
      expect(upstream.calls).toHaveLength(1);
      expect(report.metadata).toEqual({
        ...limited(hint, null),
        rate_limit_encountered: true,
        rate_limit_wait_seconds: 0,
        rate_limit_wait_exceeded: false,
      });
      expect(report.lastError?.retryable).toBe(false);
    }
  });

  it('a failure that is marked as final stays so, and is noticed', async () => {
    const upstream = new Upstream(rejects(nonRetryable(new RateLimitError(1e9))));
    const { report } = await scene(upstream.call, listening).failure();
    expect(report.attemptCount).toBe(1);
    expect(report.metadata).toMatchObject(limited(1e9, null));
    expect(totals(report)).toEqual([true, 0, false]);
  });

  it('the extractor is asked once for each limit, with the failure and the time of the call', async () => {
    const retryAfter = jest.fn((_error: unknown, _context: { nowMs: number }) => 5);
    const { result } = scene(limiting(1, 1).call, { ...listening, retryAfter });
    await result();
    const startMs = Date.UTC(2026, 0, 1);
    expect(retryAfter.mock.calls).toEqual([
      [expect.any(RateLimitError), { nowMs: startMs }],
      [expect.any(RateLimitError), { nowMs: startMs + 5_000 }],
    ]);
  });

  it('and without a limit nobody is asked anything', async () => {
    const rateLimitOn = jest.fn(() => true);
    const retryAfter = jest.fn(() => 1);
    const { report } = await scene(gives('ok'), { retries: 1, rateLimitOn, retryAfter }).result();
    expect(totals(report)).toEqual([false, 0, false]);
    expect([rateLimitOn.mock.calls, retryAfter.mock.calls]).toEqual([[], []]);
  });

  it('the back-off is not asked where the provider has spoken', async () => {
    const backoff = { delayForRetry: jest.fn(() => 2) };
    await scene(limiting(1).call, { ...listening, backoff }).result();
    expect(backoff.delayForRetry).not.toHaveBeenCalled();
    await scene(limiting(undefined).call, { ...listening, backoff }).result();
    expect(backoff.delayForRetry.mock.calls).toHaveLength(1);
  });

  it('a filter that throws matches nothing', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const rateLimitOn = (): boolean => {
      throw new RangeError('broken filter');
    };
    const { report } = await scene(limiting(7).call, {
      ...listening,
      rateLimitOn,
      backoff: everySeconds(1),
    }).result();
    expect(steps(report)).toEqual([
      ['RateLimitError', 1],
      ['succeeded', 0],
    ]);
    expect(totals(report)).toEqual([false, 0, false]);
    expect(warned.mock.calls.map(([text]) => text)).toEqual([
      'rateLimitOn threw RangeError, so the failure does not match',
    ]);
    warned.mockRestore();
  });
});
