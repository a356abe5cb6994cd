/** Room for attempts, refilled at a rate. Seconds. */
export class TokenBucket {
  constructor(
    readonly capacity: number,
    private amount: number,
    private refilledAt: number,
  ) {}

  tokens(now: number, rate: number): number {
    const passed = now - this.refilledAt;
    if (passed > 0) {
      this.amount = Math.min(this.capacity, this.amount + passed * rate);
      this.refilledAt = now;
    }
    return this.amount;
  }

  take(now: number, rate: number): boolean {
    if (this.tokens(now, rate) < 1 - NOISE) return false;
    this.amount -= 1;
    return true;
  }

  /** Nothing is left of what had been saved up. */
  empty(): void {
    this.amount = Math.min(0, this.amount);
  }

  giveBack(): void {
    this.amount = Math.min(this.capacity, this.amount + 1);
  }

  /** Seconds until the next one can be taken; with `ahead` of others, until it is one's turn. */
  waitFor(now: number, rate: number, ahead = 0): number {
    return Math.max(0, (1 + ahead - this.tokens(now, rate)) / rate);
  }
}

/** What floating point leaves of a token that is there. */
const NOISE = 1e-9;
