import { RateLimitPolicy, type RateLimitPolicyOptions } from '../../lib/index.js';

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
