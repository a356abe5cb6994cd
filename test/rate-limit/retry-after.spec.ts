import { describe, expect, it } from '@jest/globals';
import { retryAfterFromHeaders } from '../../lib/index.js';
import { NOW, NOW_MS, refused } from './support.js';

const LONGEST = 2_147_483_648;

const hint = (headers: unknown, status?: number) => retryAfterFromHeaders(refused(headers, status), NOW);
const retryAfter = (value: unknown) => hint({ 'retry-after': value });

describe('a Retry-After header', () => {
  it.each<[value: unknown, seconds: number | undefined]>([
    ['7', 7],
    ['007', 7],
    // B086
    ['1.5', 1.5],
    ['120 ', 120],
    ['\t120', 120],
    ['-3', undefined],
    ['+3', undefined],
    ['0x10', undefined],
    ['1e3', undefined],
    ['', undefined],
    [' ', undefined],
    ['.5', undefined],
    ['5.', undefined],
    ['5s', undefined],
    ['1 2', undefined],
    ['1_000', undefined],
    ['٣', undefined],
    ['2026', 2_026],
    ['soon', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    ['null', undefined],
    // B091
    ['-1', undefined],
    // A plain object may hold what is no text.
    [7, 7],
    [1.5, 1.5],
    [-1, undefined],
    [NaN, undefined],
    [Infinity, undefined],
    [true, undefined],
    [null, undefined],
    [undefined, undefined],
    [{}, undefined],
    [new Date(NOW_MS + 5_000), undefined],
  ])('of %p is %p seconds', (value, seconds) => {
    expect(retryAfter(value)).toBe(seconds);
  });

  // B087
  it.each(['0', '0.0', 0, 'Thu, 01 Jan 2026 00:00:00 GMT', 'Wed, 31 Dec 2025 23:59:59 GMT'])(
    'of %p asks for no wait of its own, so the back-off decides, and no other header does',
    (value) => expect(hint({ 'retry-after': value, 'x-ratelimit-reset': '30' })).toBeUndefined(),
  );

  it.each([
    'Thu, 01 Jan 2026 00:00:07 GMT', // B084
    'Thu, 1 Jan 2026 00:00:07 GMT',
    'thu, 01 jan 2026 00:00:07 gmt',
    'Thu, 01 Jan 2026 00:00:07 UTC',
    'Thursday, 01-Jan-26 00:00:07 GMT',
    'Thu Jan  1 00:00:07 2026',
    '2026-01-01T00:00:07Z',
    '2026-01-01T00:00:07.000Z',
    '2026-01-01T01:00:07+01:00',
    '2026-01-01 00:00:07Z',
  ])('may be a date: %s', (date) => expect(retryAfter(date)).toBe(7));

  it.each([...'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ').entries()])(
    'knows month %i: %s',
    (month, name) => {
      const seconds = (Date.UTC(2026, month, 2) - NOW_MS) / 1_000;
      expect(retryAfter(`Fri, 02 ${name} 2026 00:00:00 GMT`)).toBe(seconds);
    },
  );

  it.each([
    '2026',
    '2026-01-02',
    '2026-01-01T00:00:07', // whose time?
    'Jan 2, 2026',
    'Thu, 01 Jan 2026 00:00:07',
    'Thu, 01 Jan 2026 00:00:07 CET',
    'Thu, 01 Foo 2026 00:00:07 GMT',
    'Thu, 32 Jan 2026 00:00:07 GMT',
    'Tue, 31 Feb 2026 00:00:07 GMT',
    'Thu, 00 Jan 2026 00:00:07 GMT',
    'Thu, 01 Jan 2026 24:00:07 GMT',
    'Thu, 01 Jan 2026 00:60:07 GMT',
    'Thu, 01 Jan 2026 00:00:61 GMT',
    '2026-13-01T00:00:07Z',
    '2026-01-01T00:00:07Z (soon)',
    'on 2026-01-01T00:00:07Z',
    'on Thu, 01 Jan 2026 00:00:07 GMT',
    'Thu, 01 Jan 2026 00:00:07 GMT or so',
    'Thu Jan 1 2026',
  ])('is nothing that a lenient parser would make of it: %s', (text) => {
    const seconds = retryAfter(text);
    expect(seconds).toBe(text === '2026' ? 2_026 : undefined);
  });

  it('may have a year of two digits, which is never more than 50 years ahead', () => {
    expect(retryAfter('Wednesday, 01-Jan-76 00:00:00 GMT')).toBe((Date.UTC(2076, 0, 1) - NOW_MS) / 1_000);
    expect(retryAfter('Saturday, 01-Jan-77 00:00:00 GMT')).toBeUndefined(); // 1977
  });

  // B092
  it.each(['99999999999999999999', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'of %s stays a wait that no limit allows, and finite',
    (value) => expect(retryAfter(value)).toBe(LONGEST),
  );

  it('that is longer than any header is no hint', () => {
    expect(retryAfter('9'.repeat(2_000))).toBeUndefined();
  });

  // D4
  it.each<[value: unknown, seconds: number | undefined]>([
    ['5, 9', 9],
    ['9,5', 9],
    [['5', '9'], 9],
    [['5', '9, 7'], 9],
    ['5, later', undefined],
    ['later, 5', undefined],
    [['later', '5'], 5],
    [', ,5,', 5],
    ['later, never', undefined],
    [['x'], undefined],
    [[], undefined],
    ['Thu, 01 Jan 2026 00:00:07 GMT, Thu, 01 Jan 2026 00:00:09 GMT', 9],
    ['Thursday, 01-Jan-26 00:00:07 GMT, 3', 7],
    ['3, Thu, 01 Jan 2026 00:00:07 GMT', 7],
  ])('that came more than once, %p, asks for the longest of its waits: %p', (value, seconds) => {
    expect(retryAfter(value)).toBe(seconds);
  });

  it('counts from the clock of the server where it tells its time, so that a wrong clock here does no harm', () => {
    const headers = { Date: 'Fri, 01 Jan 2021 10:00:00 GMT', 'Retry-After': 'Fri, 01 Jan 2021 10:00:30 GMT' };
    expect(hint(headers)).toBe(30);
    expect(hint({ ...headers, Date: 'yesterday' })).toBeUndefined();
    expect(hint({ ...headers, Date: '5' })).toBeUndefined();
    expect(hint({ 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT', date: 'soon' })).toBe(7);
    expect(hint({ 'retry-after': '5', date: headers.Date })).toBe(5);
  });

  it('may say its milliseconds, which are the finer word', () => {
    expect(hint({ 'retry-after-ms': '1500', 'retry-after': '2' })).toBe(1.5);
    expect(hint({ 'x-ms-retry-after-ms': '250' })).toBe(0.25);
    // B089
    expect(hint({ 'retry-after-ms': '60000' })).toBe(60);
    expect(hint({ 'retry-after-ms': '60001' })).toBe(60.001);
  });

  // B091
  it.each(['-1', 'soon', '', '1e3', 'Thu, 01 Jan 2026 00:00:07 GMT'])(
    'counts for itself where its milliseconds are %p',
    (ms) => {
      expect(hint({ 'retry-after-ms': ms, 'retry-after': '2' })).toBe(2);
      expect(hint({ 'retry-after-ms': ms })).toBeUndefined();
    },
  );

  it('may bear the name of a limit, as those of the throttler of Nest', () => {
    expect(hint({ 'Retry-After-short': '3', 'Retry-After-long': '40' })).toBe(40);
  });

  it('is read whatever the status', () => {
    for (const status of [200, 301, 403, 429, 500, 503, undefined])
      expect(hint({ 'retry-after': '7' }, status)).toBe(7);
  });
});
