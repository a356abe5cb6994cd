import { setImmediate } from 'node:timers';
import { checkDurationOrZero, checkOptions } from '../errors/check.js';
import { checkMoment } from '../report/execution-attempt.js';
import type { Clock, Timer } from '../time/clock.js';
import type { Duration } from '../time/duration.js';

interface FakeTimer extends Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
  /** It ends what takes too long, as a timeout does; the process would not wait for it. */
  isLimit: boolean;
}

/** Options of {@link FakeClock}. */
export interface FakeClockOptions {
  /** Where its wall clock starts. Default 2026-01-01T00:00:00Z. */
  readonly startAt?: Date | undefined;
}

/** More timers than this in one go mean that something sets a new one for ever. */
const MOST_TIMERS = 100_000;
/** Turns of the event loop that work without timers gets before it counts as stuck: reading a file needs a thousand. */
const IDLE_TURNS = 10_000;
/** Turns that real I/O gets before a limit ends it: an answer over the loopback interface needs a dozen. */
const LIMIT_TURNS = 250;

/** A clock that moves only when a test says so. */
export class FakeClock implements Clock {
  private nowMs = 0;
  private wallStartMs: number;
  private order = 0;
  private readonly timers = new Set<FakeTimer>();

  constructor(options: FakeClockOptions = {}) {
    checkOptions('options', options, ['startAt']);
    const { startAt = new Date('2026-01-01T00:00:00Z') } = options;
    this.wallStartMs = checkMoment('startAt', startAt);
  }

  monotonicMs(): number {
    return this.nowMs;
  }

  wallMs(): number {
    return this.wallStartMs + this.nowMs;
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    this.order += 1;
    const timer: FakeTimer = {
      dueMs: this.nowMs + Math.max(0, delayMs),
      order: this.order,
      callback,
      isLimit: false,
      cancel: () => void this.timers.delete(timer),
      unref: () => void (timer.isLimit = true),
      ref: () => void (timer.isLimit = false),
    };
    this.timers.add(timer);
    return timer;
  }

  /** How many timers are set; 0 when nothing was left behind. */
  get pendingTimers(): number {
    return this.timers.size;
  }

  /** Steps the wall clock alone, as an operator or a time server does: forward, or back with `'back'`. */
  stepWall(duration: Duration, direction: 'forward' | 'back' = 'forward'): void {
    const ms = checkDurationOrZero('duration', duration);
    this.wallStartMs += direction === 'forward' ? ms : -ms;
  }

  /**
   * Lets time pass in a blocked event loop: nothing runs meanwhile. What fell due runs late, in the next `advance` (of 0
   * as well) or `settle`.
   */
  stall(duration: Duration): void {
    this.nowMs += checkDurationOrZero('duration', duration);
  }

  /** Lets time pass: runs what falls due, in order and each at its own time, and lets everything it wakes run. */
  async advance(duration: Duration): Promise<void> {
    const endMs = this.nowMs + checkDurationOrZero('duration', duration);
    await turn();
    for (let fired = 0; ; fired += 1) {
      const next = this.next();
      if (next === undefined || next.dueMs > endMs) break;
      if (fired >= MOST_TIMERS)
        throw new Error(
          `more than ${MOST_TIMERS} timers fired within ${duration}; does something set one for ever?`,
        );
      await this.fire(next);
    }
    this.nowMs = Math.max(this.nowMs, endMs);
    await turn();
  }

  /**
   * Lets time pass, timer by timer, until the promise has settled; gives its outcome. A rejection on the way is handled.
   *
   * Real I/O takes none of this time. It goes on while no timer is set, and gets some turns of the event loop before a
   * timeout or deadline passes; if it needs longer, as from another machine, that comes first. A wait is never held up.
   */
  async settle<T>(promise: PromiseLike<T>): Promise<T> {
    let settled = false;
    const outcome = Promise.resolve(promise).finally(() => (settled = true));
    // Handled here first, so that a rejection on the way is never an unhandled one.
    outcome.catch(() => undefined);
    await turn();
    let last: FakeTimer | undefined;
    for (let idle = 0, fired = 0; !settled; idle += 1) {
      const next = this.next();
      if (next !== last) idle = 0;
      last = next;
      if (idle < patienceBefore(next)) await turn();
      else if (next === undefined)
        throw new Error('the promise has not settled, and no timer is left to wait for');
      else if (fired++ < MOST_TIMERS) await this.fire(next);
      else throw new Error(`the promise has not settled after ${MOST_TIMERS} timers`);
    }
    return outcome;
  }

  private next(): FakeTimer | undefined {
    let first: FakeTimer | undefined;
    for (const timer of this.timers) {
      if (
        first === undefined ||
        timer.dueMs < first.dueMs ||
        (timer.dueMs === first.dueMs && timer.order < first.order)
      )
        first = timer;
    }
    return first;
  }

  private async fire(timer: FakeTimer): Promise<void> {
    this.timers.delete(timer);
    this.nowMs = Math.max(this.nowMs, timer.dueMs);
    timer.callback();
    await turn();
  }
}

function patienceBefore(timer: FakeTimer | undefined): number {
  if (timer === undefined) return IDLE_TURNS;
  return timer.isLimit ? LIMIT_TURNS : 0;
}

/** One turn of the event loop: every promise that can settle by itself has settled after it. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
