const SECONDS = 60;

/** What was counted within the last minute, second by second: no memory beyond that, and nothing to tidy up. */
export class LastMinute {
  private readonly seconds = new Float64Array(SECONDS).fill(-Infinity);
  private readonly calls = new Uint32Array(SECONDS);
  private readonly failures = new Uint32Array(SECONDS);

  note(nowMs: number, failed: boolean): void {
    const second = Math.floor(nowMs / 1_000);
    // A clock may begin below zero.
    const slot = ((second % SECONDS) + SECONDS) % SECONDS;
    if (this.seconds[slot] !== second) {
      this.seconds[slot] = second;
      this.calls[slot] = this.failures[slot] = 0;
    }
    this.calls[slot]! += 1;
    if (failed) this.failures[slot]! += 1;
  }

  /** The running second and the 59 before it. */
  sum(nowMs: number): { readonly calls: number; readonly failed: number } {
    const oldest = Math.floor(nowMs / 1_000) - SECONDS;
    let [calls, failed] = [0, 0];
    for (let slot = 0; slot < SECONDS; slot += 1) {
      if (this.seconds[slot]! <= oldest) continue;
      calls += this.calls[slot]!;
      failed += this.failures[slot]!;
    }
    return { calls, failed };
  }
}
