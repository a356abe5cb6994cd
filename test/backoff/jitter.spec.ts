import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ExponentialBackoff, type Jitter } from '../../lib/index.js';
import { seededRandom } from '../../lib/testing/index.js';

const modes: Jitter[] = [
  true,
  false,
  'equal',
  'decorrelated',
  { percent: 0 },
  { percent: 10 },
  { percent: 100 },
];
/** The largest number below 1, which a random source may give. */
const NEARLY_ONE = 1 - Number.EPSILON / 2;

function delay(jitter: Jitter, retryNumber: number, chance: number, options = {}): number {
  return new ExponentialBackoff({ baseDelay: 1, maxDelay: 100, jitter, ...options }).delayForRetry(
    retryNumber,
    () => chance,
  );
}

describe('jitter', () => {
  it('draws from zero to the plain delay [R7]', () => {
    const random = seededRandom(1);
    const backoff = new ExponentialBackoff({ baseDelay: 0.5, maxDelay: 2 });
    for (const [retry, most] of [0.5, 1, 2, 2].entries()) {
      const drawn = Array.from({ length: 200 }, () => backoff.delayForRetry(retry + 1, random));
      expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...drawn)).toBeLessThanOrEqual(most);
      // It uses the whole range: a narrower one would let many callers come back together.
      expect(Math.min(...drawn)).toBeLessThan(most * 0.1);
      expect(Math.max(...drawn)).toBeGreaterThan(most * 0.9);
    }
  });

  it.each<[Jitter, number, number, number]>([
    [true, 0, 2, 4],
    ['equal', 2, 3, 4],
    ['decorrelated', 1, 6.5, 12],
    [{ percent: 10 }, 3.6, 4, 4.4],
    [{ percent: 100 }, 0, 4, 8],
    [{ percent: 0 }, 4, 4, 4],
    [false, 4, 4, 4],
  ])('%p gives exact delays for the ends and the middle of chance [R8]', (jitter, least, middle, most) => {
    expect(delay(jitter, 3, 0)).toBeCloseTo(least, 12);
    expect(delay(jitter, 3, 0.5)).toBeCloseTo(middle, 12);
    expect(delay(jitter, 3, NEARLY_ONE)).toBeCloseTo(most, 12);
  });

  // B101, B102, D5, D6
  it('is finite, from 0 to the maximum, for each retry number up to the largest, with each mode and base [R22]', () => {
    const retryNumber = fc.oneof(
      fc.constantFrom(1, 2, 23, 60, 1_000, 1_019, 1_024, 1_025, 1_100, 1e6, Number.MAX_SAFE_INTEGER),
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    );
    const backoff = fc.record({
      baseDelay: fc.constantFrom<number | '1ms'>(0, '1ms', 1, 30),
      maxDelay: fc.constantFrom(30, 300, 1e9),
      multiplier: fc.oneof(
        fc.constantFrom(1, 2, 1.000001, Number.MAX_VALUE),
        fc.double({ min: 1, max: 1e300, noNaN: true }),
      ),
      jitter: fc.constantFrom(...modes),
    });
    const chance = fc.oneof(
      fc.constantFrom(0, 0.5, NEARLY_ONE),
      fc.double({ min: 0, max: NEARLY_ONE, noNaN: true }),
    );
    fc.assert(
      fc.property(backoff, retryNumber, chance, (options, number, drawn) => {
        const seconds = new ExponentialBackoff(options).delayForRetry(number, () => drawn);
        expect(Number.isFinite(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(0);
        expect(seconds).toBeLessThanOrEqual(options.maxDelay);
      }),
      { numRuns: 500 },
    );
  });

  it('stays at the maximum for very large retry numbers instead of overflowing [R22]', () => {
    for (const number of [60, 1_025, 1_100, 1e6, Number.MAX_SAFE_INTEGER]) {
      expect(delay(false, number, 0.5, { baseDelay: 2, maxDelay: 300 })).toBe(300);
    }
  });

  // B104
  it('is drawn before the maximum is applied', () => {
    expect(delay({ percent: 50 }, 10, 0.999, { maxDelay: 5 })).toBe(5);
    expect(delay('decorrelated', 10, 0.999, { maxDelay: 5 })).toBeLessThanOrEqual(5);
  });

  // B106
  it.each(modes)('of kind %p backs off: later delays are longer on average', (jitter) => {
    const random = seededRandom(106);
    const backoff = new ExponentialBackoff({ baseDelay: 0.05, maxDelay: 5, jitter });
    let [early, late] = [0, 0];
    for (let call = 0; call < 50; call += 1) {
      for (let retry = 1; retry <= 10; retry += 1) {
        early += backoff.delayForRetry(retry, random);
        late += backoff.delayForRetry(retry + 10, random);
      }
    }
    expect(late).toBeGreaterThan(1.3 * early);
  });

  it('cannot be changed by whoever gave it', () => {
    const percent = { percent: 10 };
    const backoff = new ExponentialBackoff({ baseDelay: 1, jitter: percent });
    percent.percent = 100;
    expect(backoff.delayForRetry(1, () => 0)).toBeCloseTo(0.9);
    expect(Object.isFrozen(backoff.jitter)).toBe(true);
  });
});
