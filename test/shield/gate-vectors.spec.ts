import { describe, expect, it } from '@jest/globals';
import { cubicK, cubicRate } from '../../lib/shield/cubic.js';
import { gives, rejects, Upstream } from '../operation/support.js';
import { bareGate, gateOf, original, sixPlaces, TooSlow } from './support.js';

type Table = readonly (readonly [seconds: number, rate: number])[];

const INTERNAL: Table = [
  [0, 70],
  [0.5, 79.455531],
  [1, 86.680764],
  [2, 95.640336],
  [3, 99.278716],
  [4.217163, 100],
  [5, 100.191899],
  [10, 177.353999],
  [30, 6955.704402],
];
const API: Table = [
  [0, 1.4],
  [0.5, 1.892808],
  [1, 1.998788],
  [1.144714, 2],
  [2, 2.250261],
  [3, 4.554421],
  [5, 24.920797],
  [10, 279.758739],
];
const SLOW: Table = [
  [0, 0.35],
  [0.5, 0.495675],
  [0.721125, 0.5],
  [1, 0.508675],
  [2, 1.336651],
  [3, 5.233928],
  [5, 31.836382],
];

describe('the gate of the original, in figures', () => {
  it.each([
    ['internal', INTERNAL],
    ['api', API],
    ['slow', SLOW],
  ] as const)('follows the curve after one slow-down: %s [S4, S5, S15, S16]', (profile, table) => {
    const rates = table.map(([seconds]) => {
      const gate = bareGate(profile);
      gate.slowDown(0, 0);
      gate.succeed(seconds * 1_000);
      return gate.rate;
    });
    expect(sixPlaces(rates)).toEqual(table.map(([, rate]) => rate));
  });

  it.each([
    ['api', [1.4, 0.98, 0.686, 0.4802, 0.33614, 0.25, 0.25, 0.25]],
    ['slow', [0.35, 0.245, 0.1715, 0.12005, 0.084035, 0.058824, 0.05, 0.05]],
  ] as const)('cuts at every slow-down, down to the floor: %s [S6]', (profile, rates) => {
    const gate = bareGate(profile);
    const seen = rates.map(() => {
      gate.slowDown(0, 0);
      return gate.rate;
    });
    expect(sixPlaces(seen)).toEqual(rates);
  });

  it('keeps w_max and k at the floor from the seventh slow-down on [S3, S6]', () => {
    const gate = bareGate('api');
    for (let count = 0; count < 7; count += 1) gate.slowDown(0, 0);
    expect(gate.wMax).toBe(0.25);
    expect(cubicK(gate.wMax)).toBeCloseTo(0.57236, 5);
  });

  it('has the k of each profile after the first slow-down [S3, S15]', () => {
    const ks = (['internal', 'api', 'slow'] as const).map((profile) => {
      const gate = bareGate(profile);
      gate.slowDown(0, 0);
      return cubicK(gate.wMax);
    });
    expect(sixPlaces(ks)).toEqual([4.217163, 1.144714, 0.721125]);
    expect(ks[0]).toBe(Math.cbrt((100 * (1 - 0.7)) / 0.4));
  });

  it('is the published curve: w_max 10, cut at 5', () => {
    const published = [7, 9.64893601, 10.00003085, 10.45328452, 13.40869703, 21.26626836, 36.42599853];
    for (const [second, rate] of published.entries()) expect(cubicRate(10, second)).toBeCloseTo(rate, 7);
    expect(Number(cubicK(8).toFixed(10))).toBe(1.8171205928);
  });

  it('lets five go at once after 100 s, and the sixth and the seventh wait 0.714286 s each [S12, S20, S21]', async () => {
    const scene = original();
    const { gate } = gateOf(scene);
    gate.slowDown(scene.clock.monotonicMs(), 0);
    await scene.clock.advance(100);
    const starts: number[] = [];
    const calls = Array.from({ length: 7 }, () =>
      scene.shield.run(async function visit() {
        starts.push(scene.clock.monotonicMs() / 1_000 - 100);
        // A success would move the rate.
        await new Promise((resolve) => void scene.clock.setTimer(resolve as () => void, 5_000));
      }),
    );
    await scene.clock.settle(Promise.all(calls));
    expect(sixPlaces(starts)).toEqual([0, 0, 0, 0, 0, 0.714286, 1.428571]);
    expect(scene.clock.pendingTimers).toBe(0);
  });

  it('reaches 10 calls a second after 5.5 s of successes back to back, and 60 after 6.4 s', async () => {
    const scene = original({ random: () => 0 });
    const { gate } = gateOf(scene);
    const upstream = new Upstream(rejects(new TooSlow('slow')), gives('up'));
    const reached: number[] = [];
    for (const rate of [10, 60]) {
      while (gate.rate < rate || !gate.engaged) await scene.clock.settle(scene.shield.run(upstream.call));
      reached.push(scene.clock.monotonicMs() / 1_000);
    }
    expect(reached[0]).toBeCloseTo(5.55, 1);
    expect(reached[1]).toBeCloseTo(6.42, 1);
  });
});
