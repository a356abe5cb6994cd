/** Decides, from the outcomes of the calls of a closed breaker, when it opens. It knows nothing of states. */
export interface TripRule {
  /** What a snapshot shows as the count of failures. */
  readonly failureCount: number;
  /** A call succeeded at this moment (monotonic milliseconds). */
  onSuccess(nowMs: number): void;
  /** A call failed; `true` when that is one too many. */
  onFailure(nowMs: number): boolean;
  /** The breaker closed: what was before does not count any more. */
  reset(): void;
}

/** Opens after so many failures without a success between them. */
export class ConsecutiveFailures implements TripRule {
  failureCount = 0;

  constructor(private readonly threshold: number) {}

  onSuccess(): void {
    this.failureCount = 0;
  }

  onFailure(): boolean {
    this.failureCount += 1;
    return this.failureCount >= this.threshold;
  }

  reset(): void {
    this.failureCount = 0;
  }
}
