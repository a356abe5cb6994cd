import { describe, expect, it } from '@jest/globals';
import { TimeoutEstimator, type TimeoutBounds } from '../../lib/shield/timeout-estimator.js';
import { ORIGINAL_TUNING, TUNING } from '../../lib/shield/tuning.js';

const WIDE: TimeoutBounds = { initial: 10, shortest: 0.001, longest: 1_000 };

function originalOf(bounds: Partial<TimeoutBounds> = {}): TimeoutEstimator {
  return new TimeoutEstimator({ ...WIDE, ...bounds }, ORIGINAL_TUNING);
}

function oursOf(bounds: Partial<TimeoutBounds> = {}): TimeoutEstimator {
  return new TimeoutEstimator({ ...WIDE, ...bounds }, TUNING);
}

function record(estimator: TimeoutEstimator, ...latencies: number[]): number {
  for (const latency of latencies) estimator.record(latency);
  return estimator.estimate;
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

describe('the timeout, as the original estimates it', () => {
  it('is the initial one without a sample, within its bounds [S134, S135, S136]', () => {
    expect(originalOf().estimate).toBe(10);
    expect(originalOf({ initial: 0.1, shortest: 0.5 }).estimate).toBe(0.5);
    expect(originalOf({ initial: 100, longest: 60 }).estimate).toBe(60);
  });

  it('is 2.5 times the 95th percentile [S137, S144]', () => {
    expect(record(originalOf(), 0.1, 0.2, 0.3, 0.4, 0.5)).toBe(1.25);
    expect(record(originalOf(), ...upTo(20))).toBe(19 * 2.5);
  });

  it.each([
    [1, 1],
    [2, 2],
    [19, 19],
    [20, 19],
    [21, 20],
    [31, 30],
    [32, 31],
  ])('of %d samples takes the %dth smallest', (samples, rank) => {
    expect(record(originalOf(), ...upTo(samples))).toBe(rank * 2.5);
    expect(record(originalOf(), ...upTo(samples).reverse())).toBe(rank * 2.5);
  });

  it('forgets what is older than 32 samples [S138]', () => {
    const low = Array.from({ length: 32 }, () => 0.1);
    expect(record(originalOf(), 50, 60, 70, ...low)).toBe(0.25);
  });

  it('ignores what is no length of time, and counts zero [S139, S142, S143]', () => {
    const estimator = originalOf({ shortest: 0.5 });
    expect(record(estimator, -1, Infinity, -Infinity, NaN)).toBe(10);
    expect(estimator.samples).toBe(0);
    expect(record(estimator, 0)).toBe(0.5);
    expect(estimator.samples).toBe(1);
  });

  it('stays where it is when both bounds are equal [S141]', () => {
    expect(record(originalOf({ shortest: 2, longest: 2 }), 0, 500)).toBe(2);
  });

  it('learns nothing from a timeout, so it is locked low for ever', () => {
    const estimator = originalOf({ shortest: 0.5 });
    record(estimator, ...Array.from({ length: 32 }, () => 0.05));
    for (let count = 0; count < 100; count += 1) estimator.recordTimeout(0.5);
    expect(estimator.estimate).toBe(0.5);
  });

  it('says the same as a naive reading of its rule, for any latencies', () => {
    const estimator = originalOf();
    const all: number[] = [];
    for (let count = 1; count <= 500; count += 1) {
      all.push((count * 7_919) % 101);
      estimator.record(all.at(-1) as number);
      const kept = all.slice(-32).sort((one, other) => one - other);
      const percentile = kept[Math.max(0, Math.ceil(0.95 * kept.length) - 1)] as number;
      expect(estimator.estimate).toBe(Math.min(1_000, Math.max(0.001, percentile * 2.5)));
    }
  });
});

describe('the timeout of the default', () => {
  it('is rounded up to two digits, so that calls share timers', () => {
    expect(record(oursOf(), 0.2937)).toBe(0.74);
    expect(record(oursOf(), 0.1)).toBe(0.25);
    expect(record(oursOf(), 4)).toBe(10);
    expect(record(oursOf(), 123.4)).toBe(310);
  });

  it('is never rounded past its bounds', () => {
    expect(record(oursOf({ longest: 7.35 }), 2.93)).toBe(7.35);
    expect(record(oursOf({ shortest: 0.123 }), 0.01)).toBe(0.123);
  });

  it.each([
    ['internal', { initial: 1, shortest: 0.05, longest: 5 }, 0.1],
    ['api', { initial: 10, shortest: 0.5, longest: 60 }, 1],
    ['slow', { initial: 120, shortest: 5, longest: 600 }, 10],
  ] as const)(
    'follows %s when it becomes four times slower for good, within ten attempts, and back',
    (_, bounds, usual) => {
      const estimator = oursOf(bounds);
      /** An attempt that takes so long, and is cut where that is longer than it may. Gives whether it ended in time. */
      const attempt = (seconds: number): boolean => {
        const inTime = seconds <= estimator.estimate;
        if (inTime) estimator.record(seconds);
        else estimator.recordTimeout(estimator.estimate);
        return inTime;
      };
      for (let count = 0; count < 100; count += 1) attempt(usual);
      const atFirst = estimator.estimate;
      const slower = upTo(10).map(() => attempt(4 * usual));
      expect(slower.filter((inTime) => !inTime).length).toBeLessThanOrEqual(3);
      expect(slower.at(-1)).toBe(true);
      for (let count = 0; count < 100; count += 1) expect(attempt(4 * usual)).toBe(true);
      expect(estimator.estimate).toBe(Math.min(bounds.longest, 4 * atFirst));
      for (let count = 0; count < 10; count += 1) expect(attempt(usual)).toBe(true);
      expect(estimator.estimate).toBe(atFirst);
    },
  );

  it('keeps its length for a dependency that is slow now and then', () => {
    const estimator = oursOf();
    for (let count = 0; count < 200; count += 1) {
      estimator.record(count % 8 === 7 ? 2 : 0.1);
      if (count >= 32) expect(estimator.estimate).toBe(5);
    }
  });

  it('grows without a success to two and a half times the initial one, and no further', () => {
    const estimator = oursOf({ initial: 10, shortest: 0.5, longest: 60 });
    for (let count = 0; count < 50; count += 1) estimator.recordTimeout(estimator.estimate);
    expect(estimator.estimate).toBe(25);
  });

  it('goes back to the initial one when a fast dependency is down, not to its longest', () => {
    const estimator = oursOf({ initial: 10, shortest: 0.5, longest: 60 });
    record(estimator, ...Array.from({ length: 40 }, () => 0.05));
    expect(estimator.estimate).toBe(0.5);
    for (let count = 0; count < 50; count += 1) estimator.recordTimeout(estimator.estimate);
    expect(estimator.estimate).toBe(10);
  });

  it('goes to its longest where successes say so', () => {
    const estimator = oursOf({ initial: 10, shortest: 0.5, longest: 60 });
    record(estimator, 1, 5, 12, 30, 50);
    expect(estimator.estimate).toBe(60);
  });
});
