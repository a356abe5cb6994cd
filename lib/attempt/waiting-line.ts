import type { Clock, Timer } from '../time/clock.js';
import { setDetachedTimer } from '../time/detached-timer.js';

/** Somebody who waits to be let in. The line links these objects themselves. */
export class Waiter {
  /** When it gives up; `Infinity` without an end. */
  dueMs = Infinity;
  line: WaitingLine | undefined = undefined;
  ahead: Waiter | undefined = undefined;
  behind: Waiter | undefined = undefined;

  constructor(
    readonly clock: Clock,
    /** Lets it in. */
    readonly admit: () => void,
    /** Sends it away. */
    readonly refuse: (reason: unknown) => void,
  ) {}
}

/**
 * First in, first out, with one timer for all who wait. Who gives up leaves from wherever it stands, at no more cost.
 */
export class WaitingLine {
  size = 0;
  first: Waiter | undefined = undefined;
  private last: Waiter | undefined = undefined;
  private timer: Timer | undefined = undefined;
  /** Somebody gives up before one who stands further in front, since the longest wait has been changed meanwhile. */
  private isMixed = false;

  /** `look` is called when the time comes that was asked for with `wakeAt`. */
  constructor(private readonly look: (nowMs: number) => void) {}

  /** Says whether the time to look again has to be asked for anew. */
  join(waiter: Waiter, nowMs: number, maxWaitMs: number): boolean {
    waiter.line = this;
    waiter.dueMs = nowMs + maxWaitMs;
    waiter.ahead = this.last;
    if (waiter.dueMs < (this.last?.dueMs ?? 0)) this.isMixed = true;
    if (this.last === undefined) this.first = waiter;
    else this.last.behind = waiter;
    this.last = waiter;
    this.size += 1;
    return this.size === 1 || this.isMixed;
  }

  /** Takes somebody out of the line; says whether it stood there. */
  remove(waiter: Waiter): boolean {
    if (waiter.line !== this) return false;
    const { ahead, behind } = waiter;
    if (ahead === undefined) this.first = behind;
    else ahead.behind = behind;
    if (behind === undefined) this.last = ahead;
    else behind.ahead = ahead;
    waiter.line = waiter.ahead = waiter.behind = undefined;
    this.size -= 1;
    if (this.size === 0) {
      this.rest();
      this.isMixed = false;
    }
    return true;
  }

  /** Lets the first one in. */
  admitFirst(): void {
    const { first } = this;
    if (first === undefined) return;
    this.remove(first);
    first.admit();
  }

  /** Sends away those who have waited long enough. They stand in front, where all wait equally long. */
  refuseDue(nowMs: number, refusal: () => unknown): void {
    let waiter = this.first;
    while (waiter !== undefined) {
      const { behind } = waiter;
      if (waiter.dueMs <= nowMs + NOISE_MS) {
        this.remove(waiter);
        waiter.refuse(refusal());
      } else if (!this.isMixed) return;
      waiter = behind;
    }
  }

  /** Looks again at a time, or when the first one gives up, whatever comes first. Replaces what was asked for before. */
  wakeAt(timeMs: number, nowMs: number): void {
    this.rest();
    const { first } = this;
    const dueMs = Math.min(timeMs, this.isMixed ? this.earliestDueMs() : (first?.dueMs ?? Infinity));
    if (first === undefined || dueMs === Infinity) return;
    const { clock } = first;
    this.timer = setDetachedTimer(
      clock,
      () => {
        this.timer = undefined;
        this.look(clock.monotonicMs());
      },
      Math.max(0, dueMs - nowMs),
    );
  }

  private earliestDueMs(): number {
    let dueMs = Infinity;
    for (let waiter = this.first; waiter !== undefined; waiter = waiter.behind)
      dueMs = Math.min(dueMs, waiter.dueMs);
    return dueMs;
  }

  private rest(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }
}

/** Less than a microsecond is what floating point leaves of a wait that is over. */
const NOISE_MS = 0.001;
