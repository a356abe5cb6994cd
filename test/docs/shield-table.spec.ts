import { describe, expect, it } from '@jest/globals';
import { Shield, type ProfiledShieldOptions } from '../../lib/index.js';
import { ORIGINAL_TUNING, TUNING, type ShieldTuning } from '../../lib/shield/tuning.js';
import { FakeClock } from '../../lib/testing/index.js';
import { read } from './fences.js';

/** Too slow, as the platform says it. */
const tooSlow = (): never => {
  throw Object.assign(new Error('too slow'), { name: 'TimeoutError' });
};

class Scene {
  readonly clock = new FakeClock();
  readonly shield: Shield;

  constructor(tuning: ShieldTuning, options: ProfiledShieldOptions = {}) {
    const { clock } = this;
    this.shield = new Shield('upstream', { clock, random: () => 0, env: false, ...options }, { tuning });
  }

  async call(work: () => unknown = () => 'well'): Promise<unknown> {
    return this.clock.settle(this.shield.run(async () => work()).catch((error: unknown) => error));
  }

  wait(seconds: number): Promise<void> {
    return this.clock.advance(seconds);
  }

  /** Work that takes so long. */
  taking(seconds: number): () => Promise<void> {
    return () => new Promise((resolve) => void this.clock.setTimer(resolve, seconds * 1_000));
  }
}

const once = (fail: () => never): (() => void) => {
  let failed = false;
  return () => {
    if (failed) return;
    failed = true;
    fail();
  };
};

/** What is measured under both tunings, in the words of the page. */
const ROWS: Readonly<Record<string, (tuning: ShieldTuning) => Promise<string>>> = {
  'an API that took 50 calls/s times out once: calls/s afterwards': async (tuning) => {
    const scene = new Scene(tuning);
    for (let call = 0; call < 150; call += 1) {
      await scene.call();
      await scene.wait(0.02);
    }
    await scene.call(once(tooSlow));
    // What the cut left; the retry has succeeded since.
    const rate = scene.shield.snapshot().wMax * 0.7;
    return rate.toFixed(1);
  },
  'six calls in flight time out together: calls/s left of 2': async (tuning) => {
    const scene = new Scene(tuning, { maxRate: Infinity });
    const failNow: (() => void)[] = [];
    const calls = Array.from({ length: 6 }, () =>
      scene.shield
        .run(
          () =>
            new Promise((_, reject) =>
              failNow.push(() => reject(Object.assign(new Error(), { name: 'TimeoutError' }))),
            ),
        )
        .catch(() => undefined),
    );
    await scene.wait(0.1);
    for (const one of failNow.splice(0)) one();
    await scene.wait(0.001);
    const { rate } = scene.shield.snapshot();
    await scene.wait(600);
    for (const one of failNow.splice(0)) one();
    await scene.clock.settle(Promise.all(calls));
    return String(Number(rate.toFixed(3)));
  },
  'one slow-down, then an hour of health, a call a second: limited?': async (tuning) => {
    const scene = new Scene(tuning);
    await scene.call(once(tooSlow));
    for (let second = 0; second < 3_600; second += 1) {
      await scene.call();
      await scene.wait(1);
    }
    return scene.shield.snapshot().engaged ? 'yes' : 'no';
  },
  'one call a minute, one times out: calls/s afterwards': async (tuning) => {
    const scene = new Scene(tuning);
    for (let minute = 0; minute < 10; minute += 1) {
      await scene.call();
      await scene.wait(60);
    }
    const call = scene.shield.run(async () => tooSlow()).catch(() => undefined);
    await scene.wait(0.001);
    const { rate } = scene.shield.snapshot();
    await scene.clock.settle(call);
    return String(Number(rate.toFixed(3)));
  },
  'answers of 0.2 s become 0.8 s for good: failed calls': async (tuning) => {
    const scene = new Scene(tuning);
    for (let call = 0; call < 40; call += 1) await scene.call(scene.taking(0.2));
    let failed = 0;
    for (let call = 0; call < 40; call += 1)
      if ((await scene.call(scene.taking(0.8))) instanceof Error) failed += 1;
    return `${failed} of 40`;
  },
  'an upstream that is dead for an hour, and ten minutes of quiet: retries left': async (tuning) => {
    const scene = new Scene(tuning);
    for (let minute = 0; minute < 60; minute += 1) {
      await scene.call(tooSlow);
      await scene.wait(60);
    }
    await scene.wait(600);
    return String(scene.shield.snapshot().budget);
  },
  'maxRate: 5 and 20 calls at once: begun within a second': async (tuning) => {
    const scene = new Scene(tuning, { maxRate: 5 });
    let begun = 0;
    const calls = Array.from({ length: 20 }, () => scene.shield.run(async () => (begun += 1)));
    await scene.wait(1);
    const seen = begun;
    await scene.clock.settle(Promise.all(calls));
    return String(seen);
  },
};

describe('the page of shields', () => {
  const page = read('docs/shield.md').replaceAll(/ +/g, ' ');

  for (const [what, measure] of Object.entries(ROWS)) {
    it(`says what was measured: ${what}`, async () => {
      const row = `| ${what} | ${await measure(ORIGINAL_TUNING)} | ${await measure(TUNING)} |`;
      expect(page).toContain(row);
    });
  }
});
