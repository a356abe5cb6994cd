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

/** Outcomes of two bits each in one small integer. Typed arrays would cost a small window several times as much. */
const PER_WORD = 15;

/** The last so many calls. An outcome costs the same whatever their number. */
export class CountWindow implements OutcomeWindow {
  calls = 0;
  failures = 0;
  slowCalls = 0;
  private readonly ring: number[];
  private next = 0;

  constructor(private readonly size: number) {
    this.ring = Array.from({ length: Math.ceil(size / PER_WORD) }, () => 0);
  }

  add(_nowMs: number, failed: boolean, slow: boolean): void {
    const { ring, next, size } = this;
    const at = Math.floor(next / PER_WORD);
    const shift = (next - at * PER_WORD) * 2;
    const word = ring[at] as number;
    if (this.calls === size) this.forget(word >> shift);
    else this.calls += 1;
    ring[at] = (word & ~(3 << shift)) | (((failed ? FAILED : 0) | (slow ? SLOW : 0)) << shift);
    if (failed) this.failures += 1;
    if (slow) this.slowCalls += 1;
    this.next = next + 1 === size ? 0 : next + 1;
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
const PARTS = 10;

/** The calls that ended within so long. What is kept is the same however many they are. */
export class TimeWindow implements OutcomeWindow {
  calls = 0;
  failures = 0;
  slowCalls = 0;
  /** For each part its calls and failures, and its slow calls where those are counted. */
  private readonly counts: number[];
  private readonly width: number;
  private readonly partMs: number;
  private originMs = 0;
  /** The number of the latest part, since the origin. */
  private latest = -Infinity;

  constructor(lengthMs: number, countsSlow: boolean) {
    this.partMs = lengthMs / PARTS;
    this.width = countsSlow ? 3 : 2;
    this.counts = Array.from({ length: PARTS * this.width }, () => 0);
  }

  add(nowMs: number, failed: boolean, slow: boolean): void {
    this.advance(nowMs);
    const { counts } = this;
    const at = this.placeOf(this.latest);
    counts[at] = (counts[at] as number) + 1;
    this.calls += 1;
    if (failed) {
      counts[at + 1] = (counts[at + 1] as number) + 1;
      this.failures += 1;
    }
    if (slow && this.width === 3) {
      counts[at + 2] = (counts[at + 2] as number) + 1;
      this.slowCalls += 1;
    }
  }

  advance(nowMs: number): void {
    const part = Math.floor((nowMs - this.originMs) / this.partMs);
    if (part <= this.latest) return;
    if (part - this.latest >= PARTS) this.reset();
    else for (let old = this.latest + 1; old <= part; old += 1) this.forget(this.placeOf(old));
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
    counts[at] = counts[at + 1] = 0;
    if (this.width === 2) return;
    this.slowCalls -= counts[at + 2] as number;
    counts[at + 2] = 0;
  }

  private placeOf(part: number): number {
    return (((part % PARTS) + PARTS) % PARTS) * this.width;
  }
}
