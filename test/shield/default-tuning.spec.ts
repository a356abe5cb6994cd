import { describe, expect, it } from '@jest/globals';
import type { ShieldProfileName } from '../../lib/index.js';
import { PROFILES as FIGURES } from '../../lib/shield/profiles.js';
import { TUNING } from '../../lib/shield/tuning.js';
import { bareGate, original, outcome, shielded, sleep, TooSlow, type Scene } from './support.js';

const PROFILES = ['internal', 'api', 'slow'] as const;

/** One call of one attempt that is told that it was too much: no budget is left for another. */
async function slowDown(scene: Scene): Promise<void> {
  const { budget } = scene.shield.current.learned;
  while (budget.take(scene.clock.monotonicMs()));
  await outcome(
    scene,
    scene.shield.run(async () => Promise.reject(new TooSlow('slow'))),
  );
}

describe('what the default does otherwise than the original', () => {
  it.each(PROFILES)(
    'counts six failures of attempts that began together as one congestion: %s',
    (profile) => {
      const [ours, theirs] = [bareGate(profile, TUNING), bareGate(profile)];
      for (const gate of [ours, theirs]) for (let at = 10; at < 16; at += 1) gate.slowDown(at, 0);
      const { initialRate, lowestRate } = FIGURES[profile];
      expect(ours.rate).toBeCloseTo(0.7 * initialRate, 10);
      expect(theirs.rate).toBeCloseTo(Math.max(lowestRate, 0.7 ** 6 * initialRate), 10);
      ours.slowDown(30, 20);
      expect(ours.rate).toBeCloseTo(0.49 * initialRate, 10);
    },
  );

  it('counts six calls that fail at the same moment as one congestion', async () => {
    const scene = shielded();
    const { budget } = scene.shield.current.learned;
    while (budget.take(0));
    const calls = Array.from({ length: 6 }, () =>
      outcome(
        scene,
        scene.shield.run(async () => {
          await sleep(scene.clock, 0.2);
          throw new TooSlow('slow');
        }),
      ),
    );
    await Promise.all(calls);
    expect(scene.shield.snapshot()).toMatchObject({ engaged: true, wMax: 2, rate: 1.4 });
  });

  it('has no limit left after an hour of health, and the original still has', async () => {
    for (const [scene, engaged] of [
      [shielded(), false],
      [original(), true],
    ] as const) {
      await slowDown(scene);
      expect(scene.shield.snapshot().engaged).toBe(true);
      for (let minute = 0; minute < 60; minute += 1) {
        await scene.clock.advance(60);
        await outcome(
          scene,
          scene.shield.run(async () => 'up'),
        );
      }
      expect(scene.shield.snapshot().engaged).toBe(engaged);
    }
  });

  it('begins to limit again at the next slow-down, where it would begin at first', async () => {
    const scene = shielded();
    await slowDown(scene);
    await scene.clock.advance(61);
    for (let call = 0; call < 9; call += 1)
      await outcome(
        scene,
        scene.shield.run(async () => 'up'),
      );
    expect(scene.shield.snapshot().engaged).toBe(false);
    await slowDown(scene);
    expect(scene.shield.snapshot()).toMatchObject({ engaged: true, rate: expect.any(Number) });
    expect(scene.shield.snapshot().rate).toBeLessThan(scene.shield.snapshot().wMax);
  });

  it('does not let idle time crush the rate, as the original does', async () => {
    const rates: number[] = [];
    for (const scene of [shielded({ profile: 'internal' }), original({ profile: 'internal' })]) {
      for (let minute = 0; minute < 10; minute += 1) {
        await outcome(
          scene,
          scene.shield.run(async () => 'up'),
        );
        await scene.clock.advance(60);
      }
      await slowDown(scene);
      rates.push(scene.shield.snapshot().rate);
    }
    expect(rates).toEqual([70, 1]);
  });

  it('is measured by what was sent where that was more than the profile expects', async () => {
    const scene = shielded({ profile: 'internal' });
    for (let call = 0; call < 1_000; call += 1) {
      await scene.shield.run(async () => 'up');
      await scene.clock.advance('2ms');
    }
    await slowDown(scene);
    const { rate, wMax } = scene.shield.snapshot();
    expect(wMax).toBeCloseTo(500, -1);
    expect(rate).toBeCloseTo(0.7 * wMax, 6);
  });

  it('cuts what `maxRate` allows, not what it does not', async () => {
    const scene = shielded({ profile: 'internal', maxRate: 10 });
    await slowDown(scene);
    expect(scene.shield.snapshot()).toMatchObject({ wMax: 10, rate: 7 });
  });

  it('a step of the wall clock changes nothing', async () => {
    const rates: unknown[] = [];
    for (const step of ['none', 'forward', 'back'] as const) {
      const scene = shielded({ maxRate: 5 });
      await slowDown(scene);
      if (step !== 'none') scene.clock.stepWall(60, step);
      const call = scene.shield.run(async () => scene.clock.monotonicMs());
      const at = await outcome(scene, call);
      rates.push([at, scene.shield.snapshot(), scene.clock.pendingTimers]);
    }
    expect(rates[1]).toEqual(rates[0]);
    expect(rates[2]).toEqual(rates[0]);
  });
});

describe('a dependency that becomes four times slower for good', () => {
  const USUAL: Record<ShieldProfileName, number> = { internal: 0.1, api: 1, slow: 10 };

  it.each(PROFILES)('is followed within ten calls, and back: %s', async (profile) => {
    const scene = shielded({ profile, random: () => 0, maxWait: '1h' });
    let attempts = 0;
    const call = (seconds: number): Promise<unknown> =>
      outcome(
        scene,
        scene.shield.run(async () => {
          attempts += 1;
          await sleep(scene.clock, seconds);
          return 'up';
        }),
      );
    const usual = USUAL[profile];
    for (let count = 0; count < 40; count += 1) expect(await call(usual)).toBe('up');
    const before = scene.shield.snapshot().timeoutSeconds;
    for (let count = 0; count < 10; count += 1) await call(4 * usual);
    attempts = 0;
    for (let count = 0; count < 10; count += 1) expect(await call(4 * usual)).toBe('up');
    expect(attempts).toBe(10);
    for (let count = 0; count < 10; count += 1) expect(await call(usual)).toBe('up');
    expect(scene.shield.snapshot().timeoutSeconds).toBe(before);
    expect(scene.clock.pendingTimers).toBe(0);
  });
});
