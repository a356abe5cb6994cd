import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ConfigurationError, TimeoutPolicy } from '../../lib/index.js';
import { durationToMs, msToSeconds, secondsToMs } from '../../lib/time/duration.js';

describe('a duration', () => {
  it.each([
    [2, 2_000],
    [0, 0],
    [0.29, 290],
    [1.005, 1_005],
    ['250ms', 250],
    ['0ms', 0],
    ['1.5ms', 1.5],
    ['10s', 10_000],
    ['0.25s', 250],
    ['1.1s', 1_100],
    ['5m', 300_000],
    ['0.1m', 6_000],
    ['1h', 3_600_000],
    ['1.5h', 5_400_000],
    ['0012s', 12_000],
  ])('of %p is %p milliseconds', (duration, ms) => {
    expect(durationToMs(duration)).toBe(ms);
  });

  it.each([
    '10 sec',
    '10 s',
    '1.5.2s',
    '',
    ' ',
    '5',
    's',
    'ms',
    '.5s',
    '5.s',
    '-5s',
    '+5s',
    '1e3ms',
    '0x10s',
    '5S',
    '5d',
    ' 5s',
    '5s ',
    '5s\n',
    '1m30s',
    'Infinitys',
    'NaNs',
    `${'9'.repeat(400)}s`,
    '٣s',
  ])('is not the text %p', (text) => {
    expect(durationToMs(text)).toBeUndefined();
  });

  it.each([
    -1,
    -0.001,
    NaN,
    Infinity,
    -Infinity,
    Number.MAX_VALUE,
    true,
    false,
    null,
    undefined,
    10n,
    Symbol('10s'),
    [10],
    { seconds: 10 },
    new Date(10),
    Object('10s'),
  ])('is not the value %p', (value) => {
    expect(durationToMs(value)).toBeUndefined();
  });

  it('is finite, not negative, and the same as a number and as a text', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (seconds) => {
        const ms = durationToMs(seconds);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeCloseTo(seconds * 1_000, 2);
        expect(ms).toBe(secondsToMs(seconds));
        if (!String(seconds).includes('e')) expect(durationToMs(`${seconds}s`)).toBe(ms);
      }),
    );
  });

  it('loses nothing on the way from milliseconds to seconds and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (ms) => {
        expect(secondsToMs(msToSeconds(ms))).toBe(ms);
        expect(durationToMs(`${ms}ms`)).toBe(ms);
      }),
    );
  });

  it('is named in the mistake of the option that it was given to, and a text is not repeated', () => {
    expect(() => new TimeoutPolicy('10 sec' as '10s')).toThrow(ConfigurationError);
    expect(() => new TimeoutPolicy('10 sec' as '10s')).toThrow(
      "timeout is a string; give seconds as a number above 0, or text such as '250ms', '10s', '5m' or '1h'",
    );
  });
});
