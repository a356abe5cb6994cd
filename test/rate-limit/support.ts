import { RateLimitPolicy, type ExecutionReport, type RateLimitPolicyOptions } from '../../lib/index.js';
import { NO_DELAY, PRIMARY, UNCHECKED } from '../operation/metadata-keys.js';
import { everySeconds, gives, rejects, Upstream } from '../operation/support.js';

/** A failure as an application's own HTTP client throws it. */
export class RateLimitError extends Error {
  constructor(readonly retryAfter?: unknown) {
    super('slow down');
  }
}

/** A policy whose extractor gives what the error holds. */
export function policy(options: Partial<RateLimitPolicyOptions> = {}): RateLimitPolicy {
  return new RateLimitPolicy({
    rateLimitOn: [RateLimitError],
    retryAfter: (error) => (error as RateLimitError).retryAfter as number,
    ...options,
  });
}

/** The first moment of 2026: 1767225600 seconds since 1970. */
export const NOW_MS = Date.UTC(2026, 0, 1);
export const NOW = { nowMs: NOW_MS };

/** A failure that has the headers of its answer. */
export function refused(headers: unknown, status: number | undefined = 429): Error {
  return Object.assign(new Error(`status ${status}`), { status, headers });
}

/** Options of an operation that are retried up to three times, with a back-off of 2 s where there is no hint. */
export const listening = {
  retries: 3,
  backoff: everySeconds(2),
  rateLimitOn: [RateLimitError],
  retryAfter: (error: unknown) => (error as RateLimitError).retryAfter as number,
};

/** A provider that refuses one call for each of these hints, and then gives `'ok'`. */
export function limiting(...hints: unknown[]): Upstream {
  return new Upstream(...hints.map((hint) => rejects(new RateLimitError(hint))), gives('ok'));
}

/** A provider that refuses every call with this hint. */
export function closed(hint?: unknown): Upstream {
  return new Upstream(rejects(new RateLimitError(hint)));
}

/** What was tried, and how long was waited after it. */
export function steps({ attempts }: ExecutionReport): unknown[] {
  return attempts.map(({ error, waitedSeconds }) => [error?.type ?? 'succeeded', waitedSeconds]);
}

/** The metadata of an attempt that met a limit: the hint, and the delay that was chosen. */
export function limited(hint: number | null, delay: number | null = hint) {
  return {
    ...PRIMARY,
    ...UNCHECKED,
    ...NO_DELAY,
    rate_limited: true,
    rate_limit_retry_after_seconds: hint,
    rate_limit_delay_seconds: delay,
    rate_limit_delay_source: delay === null ? null : hint === null ? 'backoff' : 'provider',
  };
}

/** What a report says of the rate limits of the whole call. */
export function totals({ metadata }: ExecutionReport): unknown[] {
  return [
    metadata.rate_limit_encountered,
    metadata.rate_limit_wait_seconds,
    metadata.rate_limit_wait_exceeded,
  ];
}
