/** Sends that are remembered. */
const KEPT = 8;

/** How fast attempts were sent lately: over the last eight of them. Seconds. */
export class SendTimes {
  private readonly ring = new Float64Array(KEPT);
  private count = 0;
  private next = 0;

  get size(): number {
    return this.count;
  }

  note(seconds: number): void {
    this.ring[this.next] = seconds;
    this.next = (this.next + 1) % KEPT;
    if (this.count < KEPT) this.count += 1;
  }

  /** Per second; `Infinity` while it cannot be told. */
  get rate(): number {
    if (this.count < 2) return Infinity;
    const newest = this.ring[(this.next - 1 + KEPT) % KEPT] as number;
    const oldest = this.count < KEPT ? (this.ring[0] as number) : (this.ring[this.next] as number);
    const span = newest - oldest;
    return span > 0 ? (this.count - 1) / span : Infinity;
  }
}
