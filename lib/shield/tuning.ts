/** How a shield learns. There are two ways: ours, and that of the original, which tests reproduce to the digit. */
export interface ShieldTuning {
  /** Failures of attempts that began before the rate was last cut do not cut it again: one congestion, one cut. */
  readonly cutsOncePerCongestion: boolean;
  /** A cut takes what was saved up for a burst, too: sent at once, it would hide the cut for a while. */
  readonly cutsEmptyTheBucket: boolean;
  /** Health that switches the limiter off again. `Infinity`: it stays on for ever. */
  readonly disarmAfterSeconds: number;
  /** Successes that health takes at least. */
  readonly disarmAfterSuccesses: number;
  /** `maxRate` holds before the first slow-down, too. */
  readonly capsFromTheStart: boolean;
  /** The measured rate may lower the rate; otherwise it only bounds its growth, so that idle time costs nothing. */
  readonly measuredRateLowers: boolean;
  /** A cut starts from the rate that was measured, where that is above the profile's: what nobody sent was not too much. */
  readonly engagesAtMeasuredRate: boolean;
  /** A timeout counts as a latency as long as itself, so that a slower dependency is followed. */
  readonly learnsFromTimeouts: boolean;
  /** A run of fast successes makes a slower past forgotten. */
  readonly forgetsSlowPast: boolean;
  /** Timeouts are rounded up to two digits: calls then share timers, and people can read them. */
  readonly roundsTimeouts: boolean;
  /** How long it takes an empty budget to fill without a success. `Infinity`: for ever. */
  readonly budgetRefillSeconds: number;
  /** The key of the cache tells operations apart. */
  readonly keysTellOperations: boolean;
}

/** The default. */
export const TUNING: ShieldTuning = Object.freeze({
  cutsOncePerCongestion: true,
  cutsEmptyTheBucket: true,
  disarmAfterSeconds: 60,
  disarmAfterSuccesses: 8,
  capsFromTheStart: true,
  measuredRateLowers: false,
  engagesAtMeasuredRate: true,
  learnsFromTimeouts: true,
  forgetsSlowPast: true,
  roundsTimeouts: true,
  budgetRefillSeconds: 600,
  keysTellOperations: true,
});

/** As the original does it. For tests; no public option. */
export const ORIGINAL_TUNING: ShieldTuning = Object.freeze({
  cutsOncePerCongestion: false,
  cutsEmptyTheBucket: false,
  disarmAfterSeconds: Infinity,
  disarmAfterSuccesses: 0,
  capsFromTheStart: false,
  measuredRateLowers: true,
  engagesAtMeasuredRate: false,
  learnsFromTimeouts: false,
  forgetsSlowPast: false,
  roundsTimeouts: false,
  budgetRefillSeconds: Infinity,
  keysTellOperations: false,
});
