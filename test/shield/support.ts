import { Shield, type ProfiledShieldOptions, type ShieldProfileName } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { PROFILES } from '../../lib/shield/profiles.js';
import { RateGate } from '../../lib/shield/rate-gate.js';
import type { RateGateSettings } from '../../lib/shield/rate-gate-settings.js';
import { ORIGINAL_TUNING, TUNING, type ShieldTuning } from '../../lib/shield/tuning.js';

/** What a dependency says that is too slow, as the platform names it. */
export class TooSlow extends Error {
  override name = 'TimeoutError';
}

export interface Scene {
  readonly clock: FakeClock;
  readonly shield: Shield;
}

/** A shield with jitter of a half and no environment, and the clock it goes by. */
export function shielded(options: ProfiledShieldOptions = {}, tuning: ShieldTuning = TUNING): Scene {
  const clock = new FakeClock();
  const shield = new Shield('github', { clock, random: () => 0.5, env: false, ...options }, { tuning });
  return { clock, shield };
}

/** The same, as the original would have it. */
export function original(options: ProfiledShieldOptions = {}): Scene {
  return shielded(options, ORIGINAL_TUNING);
}

export function gateOf({ shield, clock }: Scene): { readonly gate: RateGate; readonly tokens: number } {
  const { gate } = shield.current.learned;
  return { gate, tokens: gate.tokens(clock.monotonicMs()) };
}

export function sleep(clock: FakeClock, seconds: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, seconds * 1_000));
}

const LIMITLESS: RateGateSettings = { maxRate: Infinity, maxWaitMs: Infinity, whenLimited: 'wait' };

/** A gate on its own. */
export function bareGate(
  profile: ShieldProfileName = 'api',
  tuning: ShieldTuning = ORIGINAL_TUNING,
  settings: Partial<RateGateSettings> = {},
): RateGate {
  return new RateGate('github', PROFILES[profile], tuning, { ...LIMITLESS, ...settings });
}

/** What the caller of a call gets, once the clock has gone as far as it takes: its value, or its error. */
export function outcome({ clock }: Scene, call: Promise<unknown>): Promise<any> {
  return clock.settle(call.catch((error: unknown) => error));
}

/** Like `toBeCloseTo`, for lists, to six places. */
export function sixPlaces(values: readonly number[]): number[] {
  return values.map((value) => Number(value.toFixed(6)));
}
