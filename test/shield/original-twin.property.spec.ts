import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PROFILES, type ShieldProfile } from '../../lib/shield/profiles.js';
import { bareGate } from './support.js';

const RUNS = process.env['RELPRIM_SLOW'] === '1' ? { numRuns: 10_000 } : { numRuns: 300, seed: 20260727 };

/** The gate of the original, written down from its description and for nothing but reading. Seconds. */
class TwinGate {
  engaged = false;
  tokens = 0;
  wMax: number;
  rate: number;
  private updatedAt = 0;
  private lastFail = 0;
  private sends: number[] = [];

  constructor(
    private readonly profile: ShieldProfile,
    private readonly cap: number,
  ) {
    this.rate = this.wMax = profile.initialRate;
  }

  enter(now: number): boolean {
    if (this.engaged) {
      this.refill(now);
      if (this.tokens < 1 - 1e-9) return false;
      this.tokens -= 1;
    }
    this.sends = [...this.sends, now].slice(-8);
    return true;
  }

  slowDown(now: number): void {
    if (!this.engaged) {
      this.engaged = true;
      this.tokens = 0;
      this.updatedAt = now;
    }
    this.wMax = this.rate;
    this.lastFail = now;
    this.publish(now, 0.7 * this.rate);
  }

  succeed(now: number): void {
    if (!this.engaged) return;
    const k = Math.cbrt((this.wMax * (1 - 0.7)) / 0.4);
    this.publish(now, 0.4 * (now - this.lastFail - k) ** 3 + this.wMax);
  }

  refill(now: number): void {
    if (now <= this.updatedAt) return;
    this.tokens = Math.min(this.profile.burst, this.tokens + (now - this.updatedAt) * this.rate);
    this.updatedAt = now;
  }

  private publish(now: number, candidate: number): void {
    const [oldest = 0, newest = 0] = [this.sends[0], this.sends.at(-1)];
    const measured = newest > oldest ? (this.sends.length - 1) / (newest - oldest) : Infinity;
    this.refill(now);
    this.rate = Math.max(this.profile.lowestRate, Math.min(candidate, 1.5 * measured, this.cap));
  }
}

const steps = fc.array(
  fc.record({
    after: fc.oneof(fc.constant(0), fc.nat(500), fc.nat(60_000)),
    do: fc.constantFrom('enter', 'enter', 'succeed', 'succeed', 'slowDown'),
  }),
  { maxLength: 120 },
);

describe('the gate under the tuning of the original', () => {
  it('does what a plain writing-down of the original does, whatever comes', () => {
    fc.assert(
      fc.property(
        steps,
        fc.constantFrom('internal', 'api', 'slow'),
        fc.constantFrom(Infinity, 1, 3),
        (script, profile, maxRate) => {
          const gate = bareGate(profile, undefined, { maxRate });
          const twin = new TwinGate(PROFILES[profile], maxRate);
          let nowMs = 0;
          for (const step of script) {
            nowMs += step.after;
            const now = nowMs / 1_000;
            if (step.do === 'enter') expect(gate.tryEnter(nowMs)).toBe(twin.enter(now));
            else if (step.do === 'succeed') {
              gate.succeed(nowMs);
              twin.succeed(now);
            } else {
              gate.slowDown(nowMs, 0);
              twin.slowDown(now);
            }
            expect(gate.engaged).toBe(twin.engaged);
            if (!twin.engaged) continue;
            twin.refill(now);
            expect(gate.rate).toBeCloseTo(twin.rate, 6);
            expect(gate.wMax).toBeCloseTo(twin.wMax, 6);
            expect(gate.tokens(nowMs)).toBeCloseTo(twin.tokens, 6);
          }
        },
      ),
      RUNS,
    );
  });
});
