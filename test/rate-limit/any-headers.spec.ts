import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RateLimitPolicy, retryAfterFromHeaders } from '../../lib/index.js';

const LONGEST = 2_147_483_648;

const names = fc.constantFrom(
  ...['Retry-After', 'retry-after-ms', 'X-MS-Retry-After-Ms', 'Retry-After-short', 'Date', 'RateLimit'],
  ...['RateLimit-Reset', 'X-RateLimit-Reset', 'x-rate-limit-reset-after', 'x-ratelimit-reset-requests'],
  ...[
    'x-ratelimit-reset-ms',
    'x-ratelimit-remaining',
    'ratelimit-remaining',
    'x-ratelimit-remaining-requests',
  ],
  ...['grpc-retry-pushback-ms', 'content-type'],
);
const number = fc.oneof(fc.double(), fc.integer(), fc.bigInt(), fc.constantFrom(0, -0, NaN, Infinity, 1e300));
const value = fc.oneof(
  fc.string(),
  number.map(String),
  fc.tuple(number, fc.constantFrom('ms', 's', 'm', 'h', 'd', 'ns')).map((parts) => parts.join('')),
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.tuple(number, number).map(([r, t]) => `"a";r=${r};t=${t}`),
  fc.tuple(number, number).map(([r, t]) => `limit=5, remaining=${r}, reset=${t}`),
  fc.array(number.map(String), { maxLength: 4 }).map((parts) => parts.join(', ')),
  fc.anything(),
);
const values = fc.oneof(value, fc.array(value, { maxLength: 3 }));
const headers = fc.oneof(
  fc.array(fc.tuple(names, values), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs)),
  fc.array(fc.tuple(names, values), { maxLength: 6 }).map((pairs) => new Map(pairs)),
  fc.array(fc.oneof(names, values), { maxLength: 8 }),
  fc.anything(),
);
const place = fc.constantFrom('headers', 'responseHeaders', 'metadata', 'response');
const failure = fc
  .tuple(place, headers, fc.oneof(fc.constantFrom(200, 403, 429, 503), fc.anything()))
  .map(([where, soup, status]) => ({ status, [where]: where === 'response' ? { headers: soup } : soup }));
const nowMs = fc.oneof(fc.constant(Date.UTC(2026, 0, 1)), fc.integer({ min: 0, max: 8.64e15 }));

describe('any headers whatever', () => {
  it('give no hint, or a finite wait above zero and at most 2³¹ s', () => {
    fc.assert(
      fc.property(failure, nowMs, (error, now) => {
        const seconds = retryAfterFromHeaders(error, { nowMs: now });
        if (seconds === undefined) return;
        expect(seconds).toBeGreaterThan(0);
        expect(seconds).toBeLessThanOrEqual(LONGEST);
      }),
      { numRuns: 5_000 },
    );
  });

  it('never make a policy that reads them fail', () => {
    const policy = new RateLimitPolicy({ rateLimitOn: () => true, retryAfter: retryAfterFromHeaders });
    fc.assert(
      fc.property(fc.oneof(failure, fc.anything()), (error) => {
        const { rateLimited, retryAfterSeconds } = policy.evaluate(error);
        expect(rateLimited).toBe(true);
        expect(retryAfterSeconds === null || retryAfterSeconds > 0).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('give the seconds of a plain Retry-After back exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: LONGEST }), headersForms, (seconds, form) => {
        expect(retryAfterFromHeaders({ status: 429, headers: form(String(seconds)) })).toBe(seconds);
      }),
    );
  });
});

const headersForms = fc.constantFrom<(text: string) => unknown>(
  (text) => ({ 'Retry-After': text }),
  (text) => new Headers({ 'Retry-After': text }),
  (text) => ['retry-after', text],
  (text) => [['retry-AFTER', [text]]],
);
