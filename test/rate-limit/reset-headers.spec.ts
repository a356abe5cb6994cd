import { describe, expect, it } from '@jest/globals';
import { retryAfterFromHeaders } from '../../lib/index.js';
import { NOW, refused } from './support.js';

const hint = (headers: Record<string, unknown>, status?: number) =>
  retryAfterFromHeaders(refused(headers, status), NOW);

describe('a header that says when a limit is lifted', () => {
  // B096
  it.each<[value: string, seconds: number | undefined]>([
    ['7', 7],
    ['7.5', 7.5],
    ['1767225607', 7],
    ['1767225607.25', 7.25],
    ['1767225607000', 7],
    ['1767225590', undefined],
    ['1767225590000', undefined],
    ['999999999', 999_999_999], // a wait of 31 years that no limit allows, for no moment of 1970 to 2001 is meant
    ['1767225607000000', undefined], // microseconds: nobody documents them
    ['9'.repeat(400), undefined],
    ['0', undefined],
    ['-7', undefined],
    ['1s', 1],
    ['6m0s', 360],
    ['2m59.56s', 179.56],
    ['20ms', 0.02],
    ['1h30m', 5_400],
    ['1d', 86_400],
    ['500µs', 0.0005],
    ['500us', 0.0005],
    ['0s', undefined],
    ['6m 0s', undefined],
    ['-1s', undefined],
    ['1x', undefined],
    ['s', undefined],
    ['2026-01-01T00:00:07Z', 7],
    ['2026-01-01T00:00Z', undefined],
    ['2026-01-01T00:01Z', 60],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7],
    ['soon', undefined],
    ['', undefined],
    ['1e3', undefined],
  ])('of %p is %p seconds away', (value, seconds) => {
    expect(hint({ 'x-ratelimit-reset': value })).toBe(seconds);
  });

  it.each<[provider: string, headers: Record<string, unknown>, seconds: number]>([
    [
      'GitHub',
      { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767225660' },
      60,
    ],
    ['GitLab', { 'RateLimit-Remaining': '0', 'RateLimit-Reset': '1767225630', 'RateLimit-ResetTime': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30], // prettier-ignore
    [
      'X',
      { 'x-rate-limit-limit': '15', 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '1767225607' },
      7,
    ],
    ['Reddit', { 'x-ratelimit-used': '100', 'x-ratelimit-remaining': '0.0', 'x-ratelimit-reset': '42' }, 42],
    ['Discord', { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1767225607.123', 'X-RateLimit-Reset-After': '7.123' }, 7.123], // prettier-ignore
    ['OpenAI', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '20s', 'x-ratelimit-remaining-tokens': '149984', 'x-ratelimit-reset-tokens': '6m0s' }, 20], // prettier-ignore
    ['Anthropic', { 'anthropic-ratelimit-requests-remaining': '49', 'anthropic-ratelimit-requests-reset': '2026-01-01T00:30:00Z', 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': '2026-01-01T00:00:12Z' }, 12], // prettier-ignore
    ['Linear', { 'x-ratelimit-requests-remaining': '0', 'x-ratelimit-requests-reset': '1767225607000' }, 7],
    [
      'express-rate-limit, draft 6',
      { 'RateLimit-Limit': '5', 'RateLimit-Remaining': '0', 'RateLimit-Reset': '9' },
      9,
    ],
    [
      'express-rate-limit, draft 7',
      { 'RateLimit-Policy': '5;w=60', RateLimit: 'limit=5, remaining=0, reset=9' },
      9,
    ],
    ['express-rate-limit, draft 8', { 'RateLimit-Policy': '"5-in-1min"; q=5; w=60', RateLimit: '"5-in-1min"; r=0; t=9' }, 9], // prettier-ignore
    ['milliseconds by name', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-ms': '1500' }, 1.5],
  ])('is understood as %s sends it', (_provider, headers, seconds) => {
    expect(hint(headers)).toBe(seconds);
    expect(hint(headers, 403)).toBe(seconds);
  });

  it.each<[value: unknown, seconds: number | undefined]>([
    ['"default";r=0;t=30', 30],
    ['default;r=0;t=30', 30],
    ['"default";t=30;r=0', 30],
    ['"default" ; r=0 ; t=30', 30],
    ['"burst";r=0;t=3, "daily";r=0;t=900', 900],
    ['"burst";r=0;t=3, "daily";r=7;t=900', 3],
    [['"burst";r=0;t=3', '"daily";r=0;t=900'], 900],
    ['"a;r=9;t=1, b";r=0;t=30', 30],
    ['"a \\" ;r=9";r=0;t=30', 30],
    ['"default";r=0', undefined],
    ['"default";r=50;t=30', undefined],
    ['"default";r=0;t=-30', undefined],
    ['"default";r=0;t=soon', undefined],
    ['limit=100, remaining=0, reset=50', 50],
    ['reset=50, remaining=0', 50],
    ['limit=100, remaining=7, reset=50', undefined],
    ['limit=100', undefined],
    ['30', undefined],
    ['', undefined],
  ])('may be the RateLimit field of the IETF: %p', (field, seconds) => {
    expect(hint({ RateLimit: field })).toBe(seconds);
  });

  it('is not that of a limit with something left: another one was met', () => {
    expect(hint({ 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': '3600' })).toBeUndefined();
    expect(hint({ 'x-ratelimit-remaining': '0.5', 'x-ratelimit-reset': '3600' })).toBeUndefined();
    expect(hint({ 'x-ratelimit-remaining': '-2', 'x-ratelimit-reset': '30' })).toBe(30);
    expect(hint({ 'x-ratelimit-remaining': 'few', 'x-ratelimit-reset': '30' })).toBe(30);
  });

  it.each<[status: number | undefined, consulted: boolean]>([
    [429, true],
    [503, true],
    [500, false],
    [403, false],
    [404, false],
    [undefined, false],
  ])('by itself counts with status %p: %p', (status, consulted) => {
    for (const headers of [{ 'x-ratelimit-reset': '30' }, { ratelimit: '"default";t=30' }]) {
      const failure = Object.assign(new Error(), { headers, ...(status !== undefined && { status }) });
      expect(retryAfterFromHeaders(failure, NOW)).toBe(consulted ? 30 : undefined);
    }
  });

  it('counts from the clock of the server, where it tells its time', () => {
    const date = 'Fri, 01 Jan 2021 10:00:00 GMT';
    const reset = String(Date.UTC(2021, 0, 1, 10, 0, 20) / 1_000);
    expect(hint({ date, 'x-ratelimit-reset': reset })).toBe(20);
    expect(hint({ date, 'x-ratelimit-reset': '20' })).toBe(20);
  });

  it('gives way to what is said more plainly', () => {
    const all = {
      'grpc-retry-pushback-ms': '1000',
      'retry-after-ms': '2000',
      'retry-after': '3',
      ratelimit: '"default";r=0;t=4',
      'x-ratelimit-reset': '5',
    };
    const names = Object.keys(all) as (keyof typeof all)[];
    const rest: Partial<typeof all> = { ...all };
    const seen = names.map((name) => {
      const seconds = hint(rest);
      delete rest[name];
      return seconds;
    });
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });
});
