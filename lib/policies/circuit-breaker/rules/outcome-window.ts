/** The latest outcomes: so many calls, or the calls of so long. */
export interface OutcomeWindow {
  readonly calls: number;
  readonly failures: number;
  readonly slowCalls: number;
  add(nowMs: number, failed: boolean, slow: boolean): void;
  /** Lets go of what is too old by now. */
  advance(nowMs: number): void;
  reset(): void;
  shift(byMs: number): void;
}

const FAILED = 1;
const SLOW = 2;

/** The last so many calls. An outcome costs the same whatever their number. */
export class CountWindow implements OutcomeWindow {
  calls = 0;
  failures = 0;
  slowCalls = 0;
  private readonly ring: Uint8Array;
  private next = 0;

  constructor(size: number) {
    this.ring = new Uint8Array(size);
  }

  add(_nowMs: number, failed: boolean, slow: boolean): void {
    const { ring, next } = this;
    if (this.calls === ring.length) this.forget(ring[next] as number);
    else this.calls += 1;
    ring[next] = (failed ? FAILED : 0) | (slow ? SLOW : 0);
    if (failed) this.failures += 1;
    if (slow) this.slowCalls += 1;
    this.next = next + 1 === ring.length ? 0 : next + 1;
  }

  advance(): void {}

  reset(): void {
    this.calls = this.failures = this.slowCalls = this.next = 0;
  }

  shift(): void {}

  private forget(outcome: number): void {
    if ((outcome & FAILED) !== 0) this.failures -= 1;
    if ((outcome & SLOW) !== 0) this.slowCalls -= 1;
  }
}

/** Time is kept in so many parts of a window, each of which goes as a whole. */
export const PARTS = 10;

/** The calls that ended within so long. What is kept is the same however many they are. */
export class TimeWindow implements OutcomeWindow {
  calls = 0;
  failures = 0;
  slowCalls = 0;
  /** For each part its calls, failures and slow calls. */
  private readonly counts = new Uint32Array(PARTS * 3);
  private readonly partMs: number;
  private originMs = 0;
  /** The number of the latest part, since the origin. */
  private latest = -Infinity;

  constructor(lengthMs: number) {
    this.partMs = lengthMs / PARTS;
  }

  add(nowMs: number, failed: boolean, slow: boolean): void {
    this.advance(nowMs);
    const { counts } = this;
    const at = placeOf(this.latest);
    counts[at] = (counts[at] as number) + 1;
    this.calls += 1;
    if (failed) {
      counts[at + 1] = (counts[at + 1] as number) + 1;
      this.failures += 1;
    }
    if (slow) {
      counts[at + 2] = (counts[at + 2] as number) + 1;
      this.slowCalls += 1;
    }
  }

  advance(nowMs: number): void {
    const part = Math.floor((nowMs - this.originMs) / this.partMs);
    if (part <= this.latest) return;
    if (part - this.latest >= PARTS) this.reset();
    else for (let old = this.latest + 1; old <= part; old += 1) this.forget(placeOf(old));
    this.latest = part;
  }

  reset(): void {
    if (this.calls > 0) this.counts.fill(0);
    this.calls = this.failures = this.slowCalls = 0;
  }

  shift(byMs: number): void {
    this.originMs += byMs;
  }

  private forget(at: number): void {
    const { counts } = this;
    this.calls -= counts[at] as number;
    this.failures -= counts[at + 1] as number;
    this.slowCalls -= counts[at + 2] as number;
    counts[at] = counts[at + 1] = counts[at + 2] = 0;
  }
}

function placeOf(part: number): number {
  return (((part % PARTS) + PARTS) % PARTS) * 3;
}
