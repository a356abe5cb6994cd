import { CUBIC_BETA, cubicRate } from './cubic.js';
import type { ShieldProfile } from './profiles.js';
import type { SendTimes } from './send-times.js';
import type { ShieldTuning } from './tuning.js';

/** How far above the measured rate the rate may be. */
const HEADROOM = 1.5;

/** The rate that a dependency seems to bear: cut at each congestion, and raised again along the CUBIC curve. Seconds. */
export class RateController {
  rate: number;
  /** The rate from before the last cut. */
  wMax: number;
  /** When it was cut last. */
  cutAt: number;
  private successes = 0;

  constructor(
    private readonly profile: ShieldProfile,
    private readonly tuning: ShieldTuning,
    /** Calls per second, at most; `Infinity` without a limit. */
    public cap: number,
    readonly sends: SendTimes,
    startRate: number,
    nowSeconds: number,
  ) {
    this.rate = this.wMax = startRate;
    this.cutAt = nowSeconds;
  }

  /**
   * The dependency is too slow, or says that it is asked too much. A rate that nobody had used up is not what was too
   * much: `used` is what can have been.
   */
  cut(now: number, used: number): void {
    this.wMax = this.rate = Math.min(this.rate, used * HEADROOM);
    this.cutAt = now;
    this.successes = 0;
    this.publish(CUBIC_BETA * this.rate);
  }

  succeed(now: number): void {
    this.successes += 1;
    this.publish(cubicRate(this.wMax, now - this.cutAt));
  }

  /** Whether it has been well for so long that there is nothing to limit any more. */
  isHealthy(now: number): boolean {
    const { disarmAfterSeconds, disarmAfterSuccesses } = this.tuning;
    return now - this.cutAt >= disarmAfterSeconds && this.successes >= disarmAfterSuccesses;
  }

  private publish(candidate: number): void {
    const { lowestRate } = this.profile;
    const most = this.sends.rate * HEADROOM;
    // Sends that were few, or long ago, are no reason to allow fewer than before.
    const bound = this.tuning.measuredRateLowers ? most : Math.max(most, this.rate);
    this.rate = Math.max(lowestRate, Math.min(candidate, bound, this.cap));
  }
}
