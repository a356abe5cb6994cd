import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { seededRandom } from '../../lib/testing/index.js';
import { systemRandom } from '../../lib/time/random.js';

function draws(seed: number, count = 8): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random());
}

describe('a seeded random source', () => {
  it('gives the same numbers for the same seed, in this release and the next', () => {
    expect(draws(1)).toEqual(draws(1));
    expect(draws(42, 3)).toEqual([0.21884025167673826, 0.9193855235353112, 0.07482402282766998]);
  });

  it('gives other numbers for another seed', () => {
    expect(draws(1)).not.toEqual(draws(2));
    expect(draws(0)).not.toEqual(draws(-1));
  });

  it('does not share its state with another one of the same seed', () => {
    const [first, second] = [seededRandom(7), seededRandom(7)];
    const ahead = [first(), first(), first()];
    expect([second(), second(), second()]).toEqual(ahead);
  });

  it('stays from 0 (included) to 1 (excluded), whatever the seed', () => {
    fc.assert(
      fc.property(fc.double(), (seed) => {
        for (const number of draws(seed, 50)) {
          expect(number).toBeGreaterThanOrEqual(0);
          expect(number).toBeLessThan(1);
        }
      }),
    );
  });

  it('spreads its numbers evenly', () => {
    const tenths = new Array<number>(10).fill(0);
    for (const number of draws(3, 10_000)) tenths[Math.floor(number * 10)]! += 1;
    for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});

describe('the random source of the platform', () => {
  it('is looked up at each call, so that a test may replace it', () => {
    const spy = jest.spyOn(Math, 'random').mockReturnValue(0.125);
    expect(systemRandom()).toBe(0.125);
    spy.mockRestore();
  });
});
