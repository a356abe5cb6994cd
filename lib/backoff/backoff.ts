import type { Random } from '../time/random.js';

/** Decides how long to wait before a retry. It keeps nothing between calls. */
export interface Backoff {
  /**
   * Seconds to wait before retry `retryNumber` (1 is the first retry). `random` is the source of chance of the call
   * that asks; a backoff that was given a source of its own uses that.
   */
  delayForRetry(retryNumber: number, random?: Random): number;
}
