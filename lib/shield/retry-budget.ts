/**
 * How many retries may still be taken. Each costs one; a call that succeeds gives back what it took, and one that
 * needed no retry earns one. Time fills it slowly, too, so that a dependency that nobody could reach is tried again.
 */
export class RetryBudget {
  private units: number;
  private sinceMs: number | undefined = undefined;

  constructor(
    readonly capacity: number,
    /** Milliseconds for one unit; `Infinity` for none. */
    private readonly msForOne: number,
  ) {
    this.units = capacity;
  }

  /** What is left at this moment: whole retries, and what has grown of the next one. */
  left(nowMs: number): number {
    this.refill(nowMs);
    return this.units;
  }

  /** Takes one, where one is left. */
  take(nowMs: number): boolean {
    this.refill(nowMs);
    if (this.units < 1) return false;
    if (this.units === this.capacity) this.sinceMs = nowMs;
    this.units -= 1;
    return true;
  }

  /** Gives some back. */
  refund(units: number): void {
    if (units > 0 && this.units < this.capacity) this.units = Math.min(this.capacity, this.units + units);
  }

  private refill(nowMs: number): void {
    if (this.msForOne === Infinity || this.sinceMs === undefined || this.units >= this.capacity) return;
    const passedMs = Math.max(0, nowMs - this.sinceMs);
    this.sinceMs = nowMs;
    this.units = Math.min(this.capacity, this.units + passedMs / this.msForOne);
  }
}
