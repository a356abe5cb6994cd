import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker, retryAfterFromHeaders } from '../../lib/index.js';
import { gives, rejects, scene, Upstream } from '../operation/support.js';
import { closed, limiting, listening, refused } from './support.js';

type Options = Parameters<typeof scene>[1];

/** The story of a call without its headline. */
async function told(upstream: Upstream, options: Options): Promise<string[]> {
  const { run, reports, clock } = scene(upstream.call, { ...listening, ...options });
  await clock.settle(run().catch(() => undefined));
  return reports[0]?.explain().split('\n').slice(1) ?? [];
}

const FAILED = 'failed after 0 s: RateLimitError (slow down)';

describe('the story of a call that meets a rate limit', () => {
  it('says what the provider asked for, and what was waited', async () => {
    expect(await told(limiting(7, undefined), {})).toEqual([
      `#1 ${FAILED}; the provider asked for 7 s; waited 7 s (provider)`,
      `#2 ${FAILED}; waited 2 s (backoff)`,
      '#3 succeeded after 0 s',
    ]);
    expect(await told(limiting(0), {})).toEqual([
      `#1 ${FAILED}; the provider asked for 0 s`,
      '#2 succeeded after 0 s',
    ]);
  });

  it('says which wait was too long', async () => {
    expect(await told(closed(90), {})).toEqual([
      `#1 ${FAILED}; the provider asked for 90 s, which is too long to wait`,
    ]);
    expect(await told(closed(), { maxRateLimitWait: 1 })).toEqual([
      `#1 ${FAILED}; the back-off is too long to wait after a rate limit`,
    ]);
  });

  it('says what was asked for where nobody waited: at the last attempt, at the deadline, before an open breaker', async () => {
    const asked = `#1 ${FAILED}; the provider asked for 7 s`;
    expect(await told(closed(7), { retries: 0 })).toEqual([asked]);
    expect(await told(closed(7), { deadline: 5 })).toEqual([
      asked,
      'the deadline left no room for another try',
    ]);
    const circuitBreaker = new CircuitBreaker({ name: 'b', failureThreshold: 1 });
    expect(await told(closed(7), { circuitBreaker })).toEqual([
      asked,
      "#2 refused: circuit breaker 'b' is open; a call may pass in 30 s",
    ]);
  });

  it('says it in a story that a fallback ended', async () => {
    expect(await told(closed(90), { fallback: gives('stand-in') })).toEqual([
      `#1 ${FAILED}; the provider asked for 90 s, which is too long to wait`,
      '#2 fallback succeeded after 0 s by fallback',
    ]);
  });

  it('says "never" as the wait that stands for it', async () => {
    const upstream = new Upstream(rejects(refused({ 'grpc-retry-pushback-ms': 'no' })));
    const options = { rateLimitOn: [Error], retryAfter: retryAfterFromHeaders };
    expect(await told(upstream, options)).toEqual([
      '#1 failed after 0 s: Error (status 429); the provider asked for 2147483648 s, which is too long to wait',
    ]);
  });

  it('says that an extractor has failed', async () => {
    expect(await told(closed(NaN), {})).toEqual([
      '#1 failed after 0 s: RetryAfterExtractionError (retryAfter returned NaN; give seconds, 0 or more, or undefined where there is no…)',
    ]);
  });
});
