import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, type ShieldChange } from '../../lib/index.js';
import { thrown } from '../operation/support.js';
import { deferred } from '../support/deferred.js';
import { client } from './client.js';
import { gateOf, outcome, shielded, sleep, TooSlow, type Scene } from './support.js';

/** A shield that has learnt something: a slow-down, ten latencies, three retries spent. */
async function experienced(options: Parameters<typeof shielded>[0] = {}): Promise<Scene> {
  const scene = shielded(options);
  await outcome(
    scene,
    scene.shield.run(async () => Promise.reject(new TooSlow('slow'))),
  );
  for (let call = 0; call < 2; call += 1)
    await outcome(
      scene,
      scene.shield.run(async () => sleep(scene.clock, 0.3)),
    );
  return scene;
}

describe('reconfiguring a shield', () => {
  it('holds for calls that begin later [S120, S130]', async () => {
    const { shield, clock } = shielded();
    let attempts = 0;
    const call = (): Promise<unknown> =>
      outcome(
        { shield, clock },
        shield.run(async () => {
          attempts += 1;
          throw new RangeError('busy');
        }),
      );
    await call();
    expect(attempts).toBe(1);
    shield.reconfigure({ timeoutErrors: RangeError, maxRate: 1 });
    await call();
    expect(attempts).toBe(5);
    expect(shield.snapshot()).toMatchObject({ maxRate: 1 });
    expect(shield.snapshot().rate).toBeLessThanOrEqual(1);
  });

  it('keeps what has been learnt', async () => {
    const scene = await experienced();
    const before = scene.shield.snapshot();
    expect(before).toMatchObject({ engaged: true, samples: 2, budget: 19, timeoutSeconds: 0.75 });
    scene.shield.reconfigure({ fallback: () => 'stand-in', maxWait: 5, whenLimited: 'reject' });
    expect(scene.shield.snapshot()).toEqual(before);
  });

  it('keeps what is in the bucket: changing it twice lets nobody through', async () => {
    const scene = shielded({ maxRate: 2, whenLimited: 'reject' });
    for (let call = 0; call < 2; call += 1)
      await outcome(
        scene,
        scene.shield.run(async () => 'up'),
      );
    scene.shield.reconfigure({ maxRate: 3 });
    scene.shield.reconfigure({ maxRate: 4 });
    expect(gateOf(scene).tokens).toBe(0);
    expect(
      (
        await outcome(
          scene,
          scene.shield.run(async () => 'up'),
        )
      ).name,
    ).toBe('ShieldLimitedError');
  });

  it('leaves those in line who wait for the rate, and lets them in at the new one', async () => {
    const scene = shielded({ maxRate: 1, maxWait: 60 });
    const times: number[] = [];
    const calls = Array.from({ length: 4 }, () =>
      scene.shield.run(async function visit() {
        times.push(scene.clock.monotonicMs());
      }),
    );
    await scene.clock.advance(1);
    expect(times).toEqual([0, 1_000]);
    scene.shield.reconfigure({ maxRate: 4 });
    expect(scene.shield.snapshot().waiting).toBe(2);
    await scene.clock.settle(Promise.all(calls));
    expect(times).toEqual([0, 1_000, 1_250, 1_500]);
    expect(scene.clock.pendingTimers).toBe(0);
  });

  it('lets all in who wait when the limit is taken away', async () => {
    const scene = shielded({ maxRate: 1, maxWait: 60 });
    const calls = Array.from({ length: 5 }, () => scene.shield.run(async () => 'up'));
    await scene.clock.advance(0);
    expect(scene.shield.snapshot().waiting).toBe(4);
    scene.shield.reconfigure({ maxRate: false });
    await scene.clock.settle(Promise.all(calls));
    expect(scene.clock.monotonicMs()).toBe(0);
    expect(scene.shield.snapshot()).toMatchObject({ maxRate: null, waiting: 0 });
    expect(scene.clock.pendingTimers).toBe(0);
  });

  it('takes away what is given as false, and leaves what is not given', async () => {
    const scene = shielded({ fallback: () => 'stand-in', maxRate: 5, cache: new Map() });
    scene.shield.reconfigure({ cache: false });
    const down = async (): Promise<never> => Promise.reject(new RangeError('broken'));
    expect(await outcome(scene, scene.shield.run(down))).toBe('stand-in');
    scene.shield.reconfigure({ fallback: false });
    expect((await outcome(scene, scene.shield.run(down))).name).toBe('RangeError');
    expect(scene.shield.snapshot().maxRate).toBe(5);
  });

  it('leaves calls in flight what they began with', async () => {
    const gate = deferred();
    const seen = client(
      async () => {
        await gate.promise;
        throw new RangeError('broken');
      },
      { fallback: () => 'the old one' },
    );
    const call = seen.visit();
    seen.shield.reconfigure({ fallback: () => 'the new one', timeoutErrors: RangeError });
    gate.resolve();
    expect(await seen.clock.settle(call)).toBe('the old one');
    expect(seen.reports[0]?.attempts).toHaveLength(2);
    expect(await seen.outcome()).toBe('the new one');
    expect(seen.reports[1]?.attempts).toHaveLength(5);
  });

  it('to another profile begins anew', async () => {
    const scene = await experienced();
    const { budget } = gateOf(scene) && scene.shield.snapshot();
    expect(budget).toBe(19);
    scene.shield.reconfigure({ profile: 'internal' });
    expect(scene.shield.snapshot()).toMatchObject({
      profile: 'internal',
      engaged: false,
      rate: 100,
      budget: 10,
      timeoutSeconds: 1,
      samples: 0,
    });
  });

  it('to the profile that it has keeps what was learnt', async () => {
    const scene = await experienced();
    const before = scene.shield.snapshot();
    scene.shield.reconfigure({ profile: 'api' });
    expect(scene.shield.snapshot()).toEqual(before);
  });

  it.each([
    [{ maxRate: 0.1 }, 'maxRate'],
    [{ maxRate: 2, profile: 'fast' }, 'profile'],
    [{ maxRate: 2, whenLimited: 'drop' }, 'whenLimited'],
    [{ fallback: 42 }, 'fallback'],
    [{ maxRate: 2, retries: 2 }, 'retries'],
    [{ env: {} }, 'env'],
    [null, 'change'],
    [{ maxRate: 0.5, profile: 'internal' }, 'maxRate'],
  ])('with %p leaves all as it was', async (change, option) => {
    const scene = await experienced({ maxRate: 5, fallback: () => 'stand-in' });
    const [before, state] = [scene.shield.snapshot(), scene.shield.current];
    const error = thrown(() => scene.shield.reconfigure(change as unknown as ShieldChange));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain("shield 'github'");
    expect(error.message).toContain(option);
    expect(scene.shield.snapshot()).toEqual(before);
    expect(scene.shield.current).toBe(state);
  });

  it('to a profile whose lowest rate is above the maxRate that it has is refused', () => {
    const { shield } = shielded({ profile: 'api', maxRate: 0.5 });
    expect(() => shield.reconfigure({ profile: 'internal' })).toThrow(ConfigurationError);
    expect(shield.profile).toBe('api');
  });
});
