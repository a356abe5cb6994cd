import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CircuitBreaker, type GrowingRecovery } from '../../lib/index.js';
import { checkRecovery, recoveryMs } from '../../lib/policies/circuit-breaker/recovery.js';
import { type FakeClock, seededRandom } from '../../lib/testing/index.js';
import { play, withRules } from './scenes.js';

const growing = (recoveryTimeout: GrowingRecovery) =>
  withRules({ failureThreshold: 1, recoveryTimeout, random: seededRandom(1) });

interface Scene {
  readonly clock: FakeClock;
  readonly breaker: CircuitBreaker;
}

/** Opens it by a failure, or a failed probe as soon as one may pass; how long it then stays open. */
async function failAgain({ clock, breaker }: Scene): Promise<number | null> {
  await clock.advance(breaker.snapshot().retryAfterSeconds ?? 0);
  await play(breaker, 'F');
  return breaker.snapshot().retryAfterSeconds;
}

async function timesOf(scene: Scene, failures: number): Promise<(number | null)[]> {
  const times = [];
  for (let failure = 0; failure < failures; failure += 1) times.push(await failAgain(scene));
  return times;
}

describe('a recovery time', () => {
  it('is always the same where it is a duration', async () => {
    const scene = withRules({ failureThreshold: 1, recoveryTimeout: '10s' });
    expect(await timesOf(scene, 4)).toEqual([10, 10, 10, 10]);
  });

  it('doubles with each failed probe up to the most, where it grows and no factor is given', async () => {
    expect(await timesOf(growing({ initial: 1, max: '10s' }), 6)).toEqual([1, 2, 4, 8, 10, 10]);
  });

  it('grows by the factor that is given, which may be none at all', async () => {
    expect(await timesOf(growing({ initial: '500ms', factor: 3, max: 20 }), 5)).toEqual([
      0.5, 1.5, 4.5, 13.5, 20,
    ]);
    expect(await timesOf(growing({ initial: 5, factor: 1, max: 20 }), 3)).toEqual([5, 5, 5]);
    expect(await timesOf(growing({ initial: 5, max: 5 }), 3)).toEqual([5, 5, 5]);
  });

  it('is refused to the last moment, and a probe passes at the end of the grown time', async () => {
    const scene = growing({ initial: 1, max: '10s' });
    await timesOf(scene, 3);
    await scene.clock.advance('3999ms');
    await play(scene.breaker, 'R');
    await scene.clock.advance('1ms');
    await play(scene.breaker, 'S');
    expect(scene.breaker.state).toBe('closed');
  });

  it('is the first one again after it has closed, or an operator has let go of it', async () => {
    const scene = growing({ initial: 1, max: '10s' });
    expect(await timesOf(scene, 3)).toEqual([1, 2, 4]);
    await scene.clock.advance(4);
    await play(scene.breaker, 'S');
    expect(scene.breaker.snapshot().recoveryTimeoutSeconds).toBe(1);
    expect(await timesOf(scene, 3)).toEqual([1, 2, 4]);
    scene.breaker.reset();
    expect(await timesOf(scene, 2)).toEqual([1, 2]);
  });

  it('does not grow by probes that prove nothing, or that came late', async () => {
    const { clock, breaker } = withRules({
      failureThreshold: 1,
      recoveryTimeout: { initial: 1, max: '10s' },
      recordFailureOn: (error) => !(error instanceof RangeError),
    });
    await play(breaker, 'F');
    await clock.advance(1);
    const late = [0, 1].map(() => breaker.admit(clock));
    expect(late[1]).toBeUndefined();
    await expect(breaker.run(() => 'never')).rejects.toMatchObject({ reason: 'probes_busy' });
    breaker.release(late[0]!);
    await breaker.run(() => Promise.reject(new RangeError('400'))).catch(() => undefined);
    expect(breaker.snapshot()).toMatchObject({ state: 'half_open', recoveryTimeoutSeconds: 1 });
    await play(breaker, 'F');
    expect(breaker.snapshot()).toMatchObject({
      state: 'open',
      retryAfterSeconds: 2,
      recoveryTimeoutSeconds: 2,
    });
  });

  it('is said in the settings and in the snapshot', () => {
    const { breaker } = growing({ initial: 1, max: '10s', factor: 3, jitter: 0.2 });
    expect(breaker.recoveryTimeoutSeconds).toBe(1);
    expect(breaker.describe()).toBe(
      'failureThreshold 1, recoveryTimeout 1 s (× 3, at most 10 s), jitter 0.2',
    );
  });
});

describe('the jitter of a recovery time', () => {
  it('moves each by its own chance, the same for the same seed', async () => {
    const times = await timesOf(growing({ initial: 1, max: '10s', jitter: 0.5 }), 4);
    expect(times).toEqual(await timesOf(growing({ initial: 1, max: '10s', jitter: 0.5 }), 4));
    const random = seededRandom(1);
    const expected = [1, 2, 4, 8].map((planned) => {
      const most = Math.min(planned * 1.5, 10);
      return planned * 0.5 + random() * (most - planned * 0.5);
    });
    expect(times.map((seconds) => seconds?.toFixed(9))).toEqual(
      expected.map((seconds) => seconds.toFixed(9)),
    );
  });

  it('is chosen once for each opening: what a refusal says does not jump', async () => {
    const scene = growing({ initial: 10, max: 10, jitter: 1 });
    const first = await failAgain(scene);
    for (let read = 0; read < 5; read += 1) expect(scene.breaker.snapshot().retryAfterSeconds).toBe(first);
    expect(scene.breaker.snapshot().recoveryTimeoutSeconds).toBe(first);
  });

  it('never leads below nothing or above the most, for any settings and any chance', () => {
    const seconds = fc.double({ min: 0.001, max: 1e6, noNaN: true });
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(
        fc.tuple(seconds, seconds),
        fc.double({ min: 1, max: 100, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(2_000),
        chance,
        (bounds, factor, jitter, failedProbes, random) => {
          const [initial, max] = bounds.toSorted((one, other) => one - other) as [number, number];
          const recovery = checkRecovery({ initial, max, factor, jitter });
          const ms = recoveryMs(recovery, failedProbes, () => random);
          // B104: jitter is not added after capping.
          expect(ms).toBeGreaterThanOrEqual(0);
          expect(ms).toBeLessThanOrEqual(recovery.maxMs * (1 + 1e-12));
          expect(ms).toBeGreaterThanOrEqual(recovery.initialMs * (1 - jitter) * (1 - 1e-12));
        },
      ),
      { numRuns: 1_000, seed: 20260101 },
    );
  });
});
