import { describe, expect, it } from '@jest/globals';
import { cubicK } from '../../lib/shield/cubic.js';
import { SendMeter } from '../../lib/shield/send-meter.js';
import { SendTimes } from '../../lib/shield/send-times.js';
import { TokenBucket } from '../../lib/shield/token-bucket.js';
import { bareGate, gateOf, original, outcome, TooSlow } from './support.js';

/** How fast sends at these seconds were. */
function rateOf(...seconds: number[]): number {
  const sends = new SendTimes();
  for (const at of seconds) sends.note(at);
  return sends.rate;
}

describe('the gate of the original', () => {
  it('lets all through until the first slow-down [S1, S13]', () => {
    const gate = bareGate();
    expect([gate.tryEnter(0), gate.tryEnter(0)]).toEqual([true, true]);
    expect(gate.succeed(1_000)).toBeUndefined();
    expect([gate.engaged, gate.rate]).toEqual([false, 2]);
  });

  it('is switched on by the first slow-down, from the first rate of the profile [S2, S3, S10]', () => {
    const gate = bareGate('internal');
    expect(gate.slowDown(1_000, 0)).toBe('engaged');
    expect([gate.engaged, gate.wMax, gate.rate]).toEqual([true, 100, 70]);
    expect(cubicK(gate.wMax)).toBe(Math.cbrt(75));
  });

  it('starts the curve at the time of the slow-down [S10, S23]', () => {
    const gate = bareGate();
    gate.slowDown(50_000, 0);
    gate.succeed(51_000);
    expect(gate.rate).toBeCloseTo(1.998788, 6);
  });

  it('has no tokens left when it is switched on [S12, S27]', () => {
    const gate = bareGate();
    gate.slowDown(0, 0);
    expect([gate.tokens(0), gate.tryEnter(0)]).toEqual([0, false]);
    expect(gate.tryEnter(10_000)).toBe(true);
  });

  it('adds tokens with time, at its rate, also for half a second [S19, S25]', () => {
    const bucket = new TokenBucket(100, 0, 0);
    expect(bucket.tokens(3, 2)).toBe(6);
    expect(bucket.tokens(3.5, 2)).toBe(7);
    expect(bucket.tokens(3, 2)).toBe(7);
  });

  it('takes exactly one token, and says how long another one takes [S20, S21]', () => {
    const bucket = new TokenBucket(5, 2.4, 0);
    expect([bucket.take(0, 2), bucket.take(0, 2), bucket.take(0, 2)]).toEqual([true, true, false]);
    expect(bucket.tokens(0, 2)).toBeCloseTo(0.4, 12);
    expect(bucket.waitFor(0, 2)).toBeCloseTo(0.3, 12);
    expect(bucket.waitFor(0, 2, 2)).toBeCloseTo(1.3, 12);
  });

  it('takes a token back, and no more than it has room for', () => {
    const bucket = new TokenBucket(2, 2, 0);
    bucket.giveBack();
    expect(bucket.tokens(0, 1)).toBe(2);
    bucket.take(0, 1);
    bucket.giveBack();
    expect(bucket.tokens(0, 1)).toBe(2);
  });

  it('measures how fast was sent [S8, S11, S17, S18, S24]', () => {
    expect([rateOf(), rateOf(1), rateOf(1, 1, 1)]).toEqual([Infinity, Infinity, Infinity]);
    expect(rateOf(0, 1, 2)).toBe(1);
    expect(rateOf(0, 2)).toBe(0.5);
    expect(rateOf(0, 0.5)).toBe(2);
  });

  it('remembers the last eight of twelve sends [S28]', () => {
    const sends = new SendTimes();
    for (let at = 0; at < 12; at += 1) sends.note(at ** 2);
    expect(sends.size).toBe(8);
    expect(sends.rate).toBe(7 / (11 ** 2 - 4 ** 2));
  });

  it('grows no further than one and a half times what is sent [S9, S26]', () => {
    const gate = bareGate();
    gate.slowDown(0, 0);
    for (const at of [1_000, 2_000, 3_000]) gate.tryEnter(at);
    gate.succeed(1_000_000);
    expect(gate.rate).toBe(1.5);
  });

  it('takes a cap that is its floor, and begins at its first rate all the same [S22]', () => {
    const gate = bareGate('api', undefined, { maxRate: 0.25 });
    gate.slowDown(0, 0);
    expect([gate.rate, gate.wMax]).toEqual([0.25, 2]);
  });

  it('stays on for ever', async () => {
    const scene = original();
    await outcome(
      scene,
      scene.shield.run(async () => Promise.reject(new TooSlow('slow'))),
    );
    for (let call = 0; call < 100; call += 1) {
      await scene.clock.advance('10m');
      await outcome(
        scene,
        scene.shield.run(async () => 'up'),
      );
    }
    expect(gateOf(scene).gate.engaged).toBe(true);
  });
});

describe('the meter of sends before the first slow-down', () => {
  it('knows nothing for a second, and then how many there were', () => {
    const meter = new SendMeter();
    for (let at = 0; at < 1_000; at += 10) meter.note(at);
    expect(meter.rate(999)).toBe(0);
    expect(meter.rate(1_000)).toBe(100);
  });

  it('remembers the last second that had any, whatever has passed since', () => {
    const meter = new SendMeter();
    for (let at = 0; at < 1_000; at += 10) meter.note(at);
    expect(meter.rate(3_600_000)).toBe(100);
    expect(meter.rate(7_200_000)).toBe(100);
    meter.note(7_200_001);
    expect(meter.rate(7_300_000)).toBe(1);
  });
});
