import { describe, expect, it } from '@jest/globals';
import type { ProfiledShieldOptions } from '../../lib/index.js';
import { cubicK } from '../../lib/shield/cubic.js';
import { gateOf, original, outcome, sixPlaces, sleep, TooSlow, type Scene } from './support.js';

/** Calls one after another; each attempt takes so long, and the first ones of all fail. */
async function play(scene: Scene, { calls = 1, failing = Infinity, seconds = 0 }) {
  const starts: number[] = [];
  const rates: number[] = [];
  let ended: any;
  for (let call = 0; call < calls; call += 1) {
    const running = scene.shield.run(async function visit() {
      starts.push(scene.clock.monotonicMs() / 1_000);
      rates.push(scene.shield.snapshot().rate);
      const fails = starts.length <= failing;
      if (seconds > 0) await sleep(scene.clock, seconds);
      if (fails) throw new TooSlow('slow');
      return 'up';
    });
    ended = await outcome(scene, running);
  }
  const { gate, tokens } = gateOf(scene);
  const { budget, timeoutSeconds } = scene.shield.snapshot();
  expect(scene.clock.pendingTimers).toBe(0);
  const [endRate, wMax, left] = sixPlaces([gate.rate, gate.wMax, tokens]);
  return {
    starts: sixPlaces(starts),
    rates: sixPlaces(rates),
    ended,
    endRate,
    wMax,
    tokens: left,
    budget,
    timeoutSeconds,
  };
}

const with_ = (random: number, options: ProfiledShieldOptions = {}): Scene =>
  original({ random: () => random, ...options });

describe('whole calls of the original, in figures', () => {
  it('V1: api, always failing [S105, S115, S118, S121, S124]', async () => {
    const scene = with_(0.5);
    const played = await play(scene, {});
    expect(played).toMatchObject({
      starts: [0, 0.714286, 1.734694, 3.734694],
      rates: [2, 1.4, 0.98, 0.686],
      endRate: 0.4802,
      wMax: 0.686,
      tokens: 0.372,
      budget: 17,
    });
    expect(cubicK(gateOf(scene).gate.wMax)).toBeCloseTo(0.8013, 4);
    expect(played.ended.notes).toEqual([
      'shield: attempts exhausted after 4/4 attempts in 3.73s (api profile)',
    ]);
  });

  it('V2: api, no jitter, two failures and then a success [S123, S133]', async () => {
    const scene = with_(0);
    const played = await play(scene, { failing: 2 });
    expect(played).toMatchObject({
      starts: [0, 0.714286, 1.734694],
      ended: 'up',
      endRate: 1.4,
      wMax: 1.4,
      tokens: 0,
      budget: 20,
      timeoutSeconds: 0.5,
    });
    expect(cubicK(gateOf(scene).gate.wMax)).toBeCloseTo(1.016396, 6);
  });

  it('V3: internal, always failing', async () => {
    const played = await play(with_(0.5, { profile: 'internal' }), {});
    expect(played).toMatchObject({
      starts: [0, 0.25, 0.75, 1.75],
      rates: [100, 70, 6, 4],
      endRate: 2.571429,
      wMax: 4,
      tokens: 21.5,
      budget: 7,
    });
    expect(played.ended.notes).toEqual([
      'shield: attempts exhausted after 4/4 attempts in 1.75s (internal profile)',
    ]);
  });

  it('V4: slow, always failing', async () => {
    const played = await play(with_(0.5, { profile: 'slow' }), {});
    expect(played).toMatchObject({
      starts: [0, 2.857143, 6.938776, 12.769679],
      endRate: 0.12005,
      wMax: 0.1715,
      budget: 2,
    });
    expect(played.ended.notes).toEqual([
      'shield: attempts exhausted after 4/4 attempts in 12.77s (slow profile)',
    ]);
  });

  it('V5: api, 0.4 s each, fails once; the success lowers the rate [S104, S125]', async () => {
    const played = await play(with_(0.5), { failing: 1, seconds: 0.4 });
    expect(played).toMatchObject({
      starts: [0, 1.114286],
      ended: 'up',
      endRate: 1.346154,
      tokens: 0.56,
      budget: 20,
      timeoutSeconds: 1,
    });
  });

  it('V6: api, six calls of 0.1 s, of which the very first attempt fails', async () => {
    const played = await play(with_(0), { calls: 6, failing: 1, seconds: 0.1 });
    expect(played).toMatchObject({
      starts: [0, 0.814286, 1.381143, 1.887962, 2.357364, 2.765226, 3.140082],
      endRate: 2.866167,
    });
  });

  it('V7: the same with maxRate 1 [S7, S131]', async () => {
    const played = await play(with_(0, { maxRate: 1 }), { calls: 4, failing: 1, seconds: 0.1 });
    expect(played).toMatchObject({
      starts: [0, 1.1, 2.1, 3.1, 4.1],
      rates: [1, 1, 1, 1, 1],
      endRate: 1,
      wMax: 2,
    });
  });
});
