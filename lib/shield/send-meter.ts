/** A second is long enough to tell a rate from a burst. */
const WINDOW_MS = 1_000;

/**
 * How many attempts were sent in the last whole second that had any: a pause is no reason to think that fewer can be
 * sent. Three numbers, for a limiter that is not there yet.
 */
export class SendMeter {
  private startMs = -Infinity;
  private count = 0;
  private latest = 0;

  note(nowMs: number): void {
    this.turn(nowMs);
    this.count += 1;
  }

  /** Per second; 0 until a second has passed. */
  rate(nowMs: number): number {
    this.turn(nowMs);
    return this.latest;
  }

  private turn(nowMs: number): void {
    if (nowMs - this.startMs < WINDOW_MS) return;
    // What was counted was sent within one second, however long ago that was.
    if (this.count > 0) this.latest = this.count;
    this.startMs = nowMs;
    this.count = 0;
  }
}
