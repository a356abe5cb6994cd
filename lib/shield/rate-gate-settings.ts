/** What a gate may be told anew while it works. */
export interface RateGateSettings {
  /** Calls per second, at most; `Infinity` without a limit. */
  readonly maxRate: number;
  readonly maxWaitMs: number;
  readonly whenLimited: 'wait' | 'reject';
}
