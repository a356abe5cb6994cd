import { describe, expect, it } from '@jest/globals';
import { Shield, type ShieldOptions } from '../../lib/index.js';
import { MAX_ATTEMPTS, PROFILES } from '../../lib/shield/profiles.js';
import { FakeClock } from '../../lib/testing/index.js';
import { gateOf, outcome, shielded, TooSlow } from './support.js';

describe('the profiles', () => {
  it('have the figures of the original [S75, S76, S77]', () => {
    expect(MAX_ATTEMPTS).toBe(4);
    expect(Object.values(PROFILES).map((profile) => Object.values(profile))).toEqual([
      ['internal', 100, 200, 1, 1, 0.05, 5, 0.5, 5, 10],
      ['api', 2, 5, 0.25, 10, 0.5, 60, 1, 30, 20],
      ['slow', 0.5, 1, 0.05, 120, 5, 600, 2, 60, 5],
    ]);
  });

  it.each(['internal', 'api', 'slow'] as const)(
    'are said by a factory each: %s [S41, S42, S43]',
    (profile) => {
      const shield = Shield[profile]('github', { env: false });
      const { budget, initialTimeoutSeconds: timeoutSeconds, initialRate } = PROFILES[profile];
      expect(shield.profile).toBe(profile);
      expect(shield.snapshot()).toEqual({
        name: 'github',
        profile,
        engaged: false,
        rate: initialRate,
        wMax: initialRate,
        maxRate: null,
        waiting: 0,
        budget,
        budgetCapacity: budget,
        timeoutSeconds,
        samples: 0,
        p50Seconds: null,
        p95Seconds: null,
      });
    },
  );

  it('take the same options, all of them [S146]', () => {
    const options: Required<ShieldOptions> = {
      timeoutErrors: [RangeError, 'ECONNRESET', (error) => error === 42],
      maxRate: 5,
      maxWait: '3s',
      whenLimited: 'reject',
      cache: new Map(),
      cacheKey: (id: number) => `user:${id}`,
      fallback: () => 'stand-in',
      env: {},
      clock: new FakeClock(),
      random: () => 0.5,
    };
    for (const profile of ['internal', 'api', 'slow'] as const)
      expect(Shield[profile]('github', options).snapshot()).toMatchObject({ profile, maxRate: 5 });
  });

  it('default to api', () => {
    expect(new Shield('github', { env: false }).profile).toBe('api');
  });

  it('wait with full jitter up to a ceiling that doubles [S121]', () => {
    for (const profile of ['internal', 'api', 'slow'] as const) {
      const { current } = shielded({ profile }).shield;
      const { backoffScaleSeconds: scale, backoffCapSeconds: cap } = PROFILES[profile];
      for (const attempt of [1, 2, 3, 20]) {
        expect(current.delayMs(attempt, () => 0)).toBe(0);
        expect(current.delayMs(attempt, () => 0.5)).toBe(500 * Math.min(scale * 2 ** (attempt - 1), cap));
      }
    }
  });
});

describe('the gate under `maxRate`', () => {
  it('has room for a second of it, and no more than the profile has', async () => {
    for (const [profile, maxRate, room] of [
      ['internal', 10, 10],
      ['internal', 1_000, 200],
      ['api', 3, 3],
      ['api', 0.5, 1],
      ['slow', 10, 1],
    ] as const) {
      const scene = shielded({ profile, maxRate, whenLimited: 'reject' });
      await outcome(
        scene,
        scene.shield.run(async () => 'up'),
      );
      expect(gateOf(scene).tokens).toBe(room - 1);
    }
  });

  it('stays below it after a slow-down, too [S7]', async () => {
    const scene = shielded({ profile: 'internal', maxRate: 50 });
    await outcome(
      scene,
      scene.shield.run(async () => Promise.reject(new TooSlow('slow'))),
    );
    expect(scene.shield.snapshot().engaged).toBe(true);
    await scene.clock.advance(50);
    await outcome(
      scene,
      scene.shield.run(async () => 'up'),
    );
    expect(scene.shield.snapshot().rate).toBeLessThanOrEqual(50);
  });
});
