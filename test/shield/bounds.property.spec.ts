import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { resultOf, type ShieldProfileName } from '../../lib/index.js';
import { seededRandom } from '../../lib/testing/index.js';
import { PROFILES } from '../../lib/shield/profiles.js';
import { TimeoutEstimator } from '../../lib/shield/timeout-estimator.js';
import { ORIGINAL_TUNING, TUNING } from '../../lib/shield/tuning.js';
import { bareGate, shielded, sleep, TooSlow } from './support.js';

const RUNS = process.env['RELPRIM_SLOW'] === '1' ? { numRuns: 1_000 } : { numRuns: 60, seed: 20260707 };

const NAMES = ['internal', 'api', 'slow'] as const;
const TUNINGS = { ours: TUNING, original: ORIGINAL_TUNING } as const;

/** What a clock that is broken may give, too. */
const ODD = [0, -0, -1, NaN, Infinity, -Infinity, 1e-300, 1e300, Number.MAX_VALUE, Number.MIN_VALUE];

describe('bounds', () => {
  it.each(NAMES.flatMap((name) => [[name, 'ours'] as const, [name, 'original'] as const]))(
    'hold the timeout for 10,000 random latencies, odd ones among them: %s, %s [B189, S139]',
    (name, tuning) => {
      const {
        initialTimeoutSeconds: initial,
        shortestTimeoutSeconds: shortest,
        longestTimeoutSeconds: longest,
      } = PROFILES[name];
      const estimator = new TimeoutEstimator({ initial, shortest, longest }, TUNINGS[tuning]);
      const random = seededRandom(7);
      const outside: number[][] = [];
      for (let count = 0; count < 10_000; count += 1) {
        const latency =
          random() < 0.1 ? (ODD[Math.floor(random() * ODD.length)] as number) : (random() * 10 - 1) ** 3;
        if (random() < 0.3) estimator.recordTimeout(random() < 0.5 ? estimator.estimate : latency);
        else estimator.record(latency);
        const within = estimator.estimate >= shortest && estimator.estimate <= longest;
        if (!within || estimator.samples > 32) outside.push([latency, estimator.estimate, estimator.samples]);
      }
      expect(outside).toEqual([]);
      expect(estimator.samples).toBeGreaterThanOrEqual(8);
    },
  );

  it.each(NAMES.flatMap((name) => [[name, 'ours'] as const, [name, 'original'] as const]))(
    'hold the rate for 10,000 random outcomes: %s, %s [B189, S6, S7]',
    (name, tuning) => {
      const { lowestRate, burst } = PROFILES[name];
      const maxRate = lowestRate * 40;
      const gate = bareGate(name, TUNINGS[tuning], { maxRate });
      const random = seededRandom(11);
      const outside: number[][] = [];
      let nowMs = 0;
      for (let count = 0; count < 10_000; count += 1) {
        nowMs += random() ** 4 * 5_000;
        gate.tryEnter(nowMs);
        if (random() < 0.2) gate.slowDown(nowMs, nowMs - random() * 1_000);
        else gate.succeed(nowMs);
        if (!gate.engaged) continue;
        const within = gate.rate >= lowestRate && gate.rate <= maxRate;
        if (!within || gate.tokens(nowMs) > burst) outside.push([nowMs, gate.rate, gate.tokens(nowMs)]);
      }
      expect(outside).toEqual([]);
    },
  );

  it('refuse no rate at or above the lowest one of a profile', () => {
    const low: readonly (readonly [ShieldProfileName, number])[] = [
      ['internal', 1],
      ['api', 0.25],
      ['slow', 0.05],
    ];
    for (const [profile, maxRate] of low)
      expect(shielded({ profile, maxRate }).shield.snapshot().maxRate).toBe(maxRate);
  });
});

const calls = fc.array(
  fc.record({
    /** Milliseconds after the one before. */
    after: fc.oneof(fc.constant(0), fc.nat(400), fc.nat(5_000)),
    takes: fc.nat(900),
    fails: fc.boolean(),
    leavesAfter: fc.option(fc.nat(2_000), { nil: undefined, freq: 5 }),
  }),
  { minLength: 1, maxLength: 60 },
);

describe('maxRate', () => {
  it('is never exceeded: in any window of t seconds at most maxRate × (t + 1) attempts begin', async () => {
    await fc.assert(
      fc.asyncProperty(
        calls,
        fc.constantFrom(1, 2, 7, 50),
        fc.constantFrom(...NAMES),
        async (script, maxRate, profile) => {
          const { clock, shield } = shielded({ profile, maxRate, maxWait: 20 });
          const startsMs: number[] = [];
          for (const { after, takes, fails, leavesAfter } of script) {
            await clock.advance(after / 1_000);
            const abort = new AbortController();
            if (leavesAfter !== undefined) clock.setTimer(() => abort.abort(), leavesAfter);
            const visit = async (): Promise<void> => {
              startsMs.push(clock.monotonicMs());
              await sleep(clock, takes / 1_000);
              if (fails) throw new TooSlow('slow');
            };
            resultOf(() => shield.run(visit), { signal: abort.signal }).catch(() => undefined);
          }
          await clock.advance('20m');
          for (const [first, from] of startsMs.entries())
            for (const [last, to] of startsMs.entries())
              if (last >= first)
                expect(last - first + 1).toBeLessThanOrEqual(maxRate * ((to - from) / 1_000 + 1) + 1e-6);
          expect(shield.snapshot().waiting).toBe(0);
          expect(clock.pendingTimers).toBe(0);
        },
      ),
      RUNS,
    );
  });

  it('holds from the first call, which it does not in the original [S1]', async () => {
    const counts: number[] = [];
    for (const tuning of [TUNING, ORIGINAL_TUNING]) {
      const { clock, shield } = shielded({ maxRate: 2, whenLimited: 'reject' }, tuning);
      let began = 0;
      for (let count = 0; count < 10; count += 1)
        await clock.settle(shield.run(async () => void (began += 1)).catch(() => undefined));
      counts.push(began);
    }
    expect(counts).toEqual([2, 10]);
  });
});
