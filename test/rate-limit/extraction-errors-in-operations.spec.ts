import { describe, expect, it } from '@jest/globals';
import {
  asyncOperation,
  CircuitBreaker,
  FallbackChainError,
  reportOf,
  RetryAfterExtractionError,
  type RetryAfterExtractor,
} from '../../lib/index.js';
import { CALL, isGood, NO_DELAY, PRIMARY, UNCHECKED } from '../operation/metadata-keys.js';
import { gives, hangs, openBreaker, rejects, scene, story, Upstream } from '../operation/support.js';
import { FakeClock } from '../../lib/testing/index.js';
import { closed, limiting, listening, RateLimitError, steps } from './support.js';

const throwing: RetryAfterExtractor = () => {
  throw new RangeError('no such header');
};
const BAD: [name: string, extract: RetryAfterExtractor][] = [
  ['throws', throwing],
  ['gives a promise', () => Promise.resolve(5) as never],
  ['gives a promise that fails', () => Promise.reject(new Error('later')) as never],
  ['gives NaN', () => NaN],
  ['gives less than nothing', () => -0.001],
  ['gives infinity', () => Infinity],
  ['gives text', () => '5' as never],
  ['gives a boolean', () => true as never],
];

describe('an extractor that', () => {
  it.each(BAD)('%s ends the primary path: its error is the failure [R90]', async (_name, retryAfter) => {
    const upstream = limiting(1);
    const { failure, sink, clock } = scene(upstream.call, { ...listening, retryAfter });
    const { report, cause } = await failure();
    expect(cause).toBeInstanceOf(RetryAfterExtractionError);
    expect((cause as RetryAfterExtractionError).rateLimitError).toBeInstanceOf(RateLimitError);
    expect([upstream.calls.length, report.status, clock.monotonicMs()]).toEqual([1, 'failed', 0]);
    expect(report.attempts.map(({ status }) => status)).toEqual(['failed']);
    expect(report.lastError?.toJSON()).toEqual({
      type: 'RetryAfterExtractionError',
      message: (cause as Error).message,
      module: null,
      retryable: false,
    });
    expect(report.metadata).toEqual({ ...PRIMARY, ...UNCHECKED, ...NO_DELAY, ...CALL });
    expect(story(sink)).toBe('OS AS AF OF');
    expect(sink.events().map(({ payload }) => (payload as { error_type?: string }).error_type)).toEqual([
      undefined,
      undefined,
      'RetryAfterExtractionError',
      'RetryAfterExtractionError',
    ]);
    await new Promise(setImmediate); // an unhandled rejection fails the test
  });

  it('fails leaves the fallback its chance, which is asked about the new failure [R90]', async () => {
    const options = { ...listening, retryAfter: throwing, fallback: gives('stand-in') };
    const { value, report } = await scene(closed(1).call, options).result();
    expect([value, report.attemptCount]).toEqual(['stand-in', 2]);
    const picky = scene(closed(1).call, { ...options, fallbackOn: [RateLimitError] });
    expect((await picky.failure()).cause).toBeInstanceOf(RetryAfterExtractionError);
    const meant = scene(closed(1).call, { ...options, fallbackOn: [RetryAfterExtractionError] });
    expect((await meant.result()).value).toBe('stand-in');
    const failing = await scene(closed(1).call, { ...options, fallback: rejects(new Error('no')) }).failure();
    expect((failing.cause as FallbackChainError).primaryFailure).toBeInstanceOf(RetryAfterExtractionError);
  });

  it('fails is not repeated, even where retryOn lists its error', async () => {
    const upstream = limiting(1, 1);
    const options = {
      ...listening,
      retryAfter: throwing,
      retryOn: [RetryAfterExtractionError, RateLimitError],
    };
    await scene(upstream.call, options).failure();
    expect(upstream.calls).toHaveLength(1);
  });

  it('fails later keeps what was waited before on record', async () => {
    let asked = 0;
    const retryAfter: RetryAfterExtractor = () => ((asked += 1) === 1 ? 4 : NaN);
    const { report } = await scene(limiting(1, 1, 1).call, { ...listening, retryAfter }).failure();
    expect(steps(report)).toEqual([
      ['RateLimitError', 4],
      ['RetryAfterExtractionError', 0],
    ]);
    expect(report.metadata).toMatchObject({
      rate_limited: false,
      rate_limit_encountered: true,
      rate_limit_wait_seconds: 4,
    });
  });

  it('fails does not hide from the circuit breaker what was met', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 2, recordFailureOn: [RateLimitError] });
    const { failure } = scene(closed(1).call, { ...listening, retryAfter: throwing, circuitBreaker });
    await failure();
    expect(circuitBreaker.snapshot().failureCount).toBe(1);
    await failure();
    expect(circuitBreaker.state).toBe('open');
    const other = new CircuitBreaker({ failureThreshold: 1, recordFailureOn: [RetryAfterExtractionError] });
    await scene(closed(1).call, { ...listening, retryAfter: throwing, circuitBreaker: other }).failure();
    expect(other.state).toBe('closed');
  });

  it('fails about a timeout of ours makes the call a failure, not a timeout', async () => {
    const circuitBreaker = new CircuitBreaker({ failureThreshold: 1 });
    const options = {
      ...listening,
      retryAfter: throwing,
      rateLimitOn: () => true,
      timeout: 3,
      circuitBreaker,
    };
    const { report } = await scene(hangs, options).failure();
    expect([report.status, report.lastAttempt?.status, report.durationSeconds]).toEqual([
      'failed',
      'failed',
      3,
    ]);
    expect(circuitBreaker.state).toBe('open');
  });

  it('fails about a refusal or a rejected value keeps what happened on record', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await openBreaker(clock);
    const options = { ...listening, retryAfter: throwing, rateLimitOn: () => true };
    const refused = scene(gives('ok'), { ...options, circuitBreaker }, clock);
    expect((await refused.failure()).report.metadata).toMatchObject({ circuit_breaker_open: true });
    expect(story(refused.sink)).toBe('OS AS circuit_breaker.rejected AF OF');
    const rejected = scene(gives('bad'), { ...options, validate: isGood });
    expect((await rejected.failure()).report.metadata).toMatchObject({ validation_reason: 'it is not' });
    expect(story(rejected.sink)).toBe('OS AS validation.failed AF OF');
  });

  it('fails about the failure of an inner operation does not hide its account', async () => {
    const clock = new FakeClock();
    const inner = asyncOperation('inner', () => Promise.reject(new RateLimitError(1)), { clock });
    const { report } = await scene(
      () => inner.run(),
      { ...listening, retryAfter: throwing },
      clock,
    ).failure();
    expect(report.causedBy.map(({ operationName }) => operationName)).toEqual(['inner']);
  });

  it('fails says what it did, with the account of the call at hand', async () => {
    const { failure } = scene(closed(1).call, { ...listening, retryAfter: throwing });
    const error = await failure();
    expect(error.cause).toMatchObject({
      message: 'retryAfter threw RangeError; give seconds, 0 or more, or undefined where there is no hint',
      cause: { message: 'no such header' },
    });
    expect(reportOf(error.cause)).toBe(error.report);
  });
});

it('a caller who goes away while the extractor runs ends the call', async () => {
  const controller = new AbortController();
  const retryAfter = (): number => {
    controller.abort(new Error('enough'));
    return 5;
  };
  const { clock, run, sink } = scene(new Upstream(rejects(new RateLimitError())).call, {
    ...listening,
    retryAfter,
    signal: controller.signal,
  });
  await expect(run()).rejects.toThrow('enough');
  expect([story(sink), clock.pendingTimers]).toEqual(['OS AS', 0]);
});
