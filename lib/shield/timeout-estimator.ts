/** Latencies that are remembered. */
const WINDOW = 32;
const PERCENTILE = 0.95;
/** How much longer than the 95th percentile an attempt may take. */
const MULTIPLIER = 2.5;
/** How fast a slow success is forgotten that faster ones follow. */
const FADING = 0.9;
/** A run this long, each twice as fast as the run before it, is a new pace. */
const RUN = 8;

export interface TimeoutBounds {
  readonly initial: number;
  readonly shortest: number;
  readonly longest: number;
}

export interface EstimatorTuning {
  readonly learnsFromTimeouts: boolean;
  readonly forgetsSlowPast: boolean;
  readonly roundsTimeouts: boolean;
}

/** How long an attempt may take: the 95th percentile of the latest latencies, times 2.5, within bounds. Seconds. */
export class TimeoutEstimator {
  /** What it says now. */
  estimate: number;
  private readonly ring = new Float64Array(WINDOW);
  private count = 0;
  private next = 0;
  /** Latencies up to this one leave the estimate at its lower bound. */
  private readonly fast: number;
  /** How many in the window are above it. */
  private slow = 0;
  private estimatedFrom = -1;
  /** About how slow the slowest of the latest successes was. */
  private slowest: number;

  constructor(
    private readonly bounds: TimeoutBounds,
    private readonly tuning: EstimatorTuning,
  ) {
    this.fast = bounds.shortest / MULTIPLIER;
    this.estimate = this.within(bounds.initial);
    this.slowest = bounds.initial / MULTIPLIER;
  }

  get samples(): number {
    return this.count;
  }

  /** Notes how long a successful attempt took. What is no length of time is ignored. */
  record(latency: number): void {
    if (!(latency >= 0 && latency < Infinity)) return;
    this.slowest = Math.max(latency, this.slowest * FADING);
    this.learn(latency);
  }

  /**
   * An attempt did not end within this time; nobody knows how long it would have taken, but not less. Timeouts alone
   * make nobody wait longer than where nothing is known, or one step beyond what has come back: a dependency that is
   * down need not be waited for ever longer.
   */
  recordTimeout(timeout: number): void {
    if (!this.tuning.learnsFromTimeouts || !(timeout >= 0)) return;
    this.learn(Math.min(timeout, Math.max(this.bounds.initial / MULTIPLIER, this.slowest * MULTIPLIER)));
  }

  private learn(latency: number): void {
    this.remember(latency);
    // Most calls are fast, and then there is nothing to work out.
    if (this.slow === 0) this.settle(0);
    else {
      if (this.tuning.forgetsSlowPast) this.forgetSlowPast();
      this.settle(this.ofTheSlowest());
    }
  }

  /** The nearest rank; 0 without a sample. */
  percentile(share: number): number {
    if (this.count === 0) return 0;
    const sorted = this.ring.slice(0, this.count).sort();
    return sorted[Math.max(0, Math.ceil(share * this.count) - 1)] as number;
  }

  private settle(percentile: number): void {
    // It rarely changes, and rounding costs more than all the rest.
    if (percentile === this.estimatedFrom) return;
    this.estimatedFrom = percentile;
    this.estimate = this.within(percentile * MULTIPLIER);
  }

  private within(estimate: number): number {
    const { shortest, longest } = this.bounds;
    if (estimate <= shortest) return shortest;
    if (estimate >= longest) return longest;
    return this.tuning.roundsTimeouts ? Math.min(longest, roundUp(estimate)) : estimate;
  }

  private remember(latency: number): void {
    if (this.count < WINDOW) this.count += 1;
    else if ((this.ring[this.next] as number) > this.fast) this.slow -= 1;
    if (latency > this.fast) this.slow += 1;
    this.ring[this.next] = latency;
    this.next = this.next === WINDOW - 1 ? 0 : this.next + 1;
  }

  /** The 95th percentile: of as few as these, the slowest or the second slowest. */
  private ofTheSlowest(): number {
    let first = 0;
    let second = 0;
    for (let index = 0; index < this.count; index += 1) {
      const latency = this.ring[index] as number;
      if (latency > first) {
        second = first;
        first = latency;
      } else if (latency > second) second = latency;
    }
    return Math.ceil(PERCENTILE * this.count) === this.count ? first : second;
  }

  /**
   * A dependency that has become fast for good need not be waited for as if it were slow until its slow past has left
   * the window. Two runs are compared, so that one which is slow now and then keeps its long timeout.
   */
  private forgetSlowPast(): void {
    if (this.count < 2 * RUN) return;
    let slowestNow = 0;
    for (let age = 1; age <= RUN; age += 1) slowestNow = Math.max(slowestNow, this.at(age));
    for (let age = RUN + 1; age <= 2 * RUN; age += 1) if (this.at(age) < 2 * slowestNow) return;
    const run = Array.from({ length: RUN }, (_, index) => this.at(RUN - index));
    this.count = this.next = this.slow = 0;
    for (const latency of run) this.remember(latency);
  }

  /** A latency by its age: 1 is the latest. */
  private at(age: number): number {
    return this.ring[(this.next - age + WINDOW) % WINDOW] as number;
  }
}

/** To two digits, upwards: 0.734 is 0.74. */
function roundUp(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  // Without the noise of binary fractions, which would round 0.25 up to 0.26.
  return Number((Math.ceil(value / unit - 1e-9) * unit).toPrecision(2));
}
