import { performance as platform } from 'node:perf_hooks';
import { setTimeout as nativeSetTimeout } from 'node:timers';

/** A timer that has been set. */
export interface Timer {
  /** Takes the timer back; nothing happens if it has fired already. */
  cancel(): void;
  /** Lets the process end while only this timer is left. Clocks without a process behind them leave it out. */
  unref?(): void;
  /** The opposite of `unref`. */
  ref?(): void;
}

/**
 * Where this library takes time from. Milliseconds, as the names say, because the platform's timers speak them;
 * everything else in the public API is in seconds.
 */
export interface Clock {
  /** Milliseconds on a clock that never jumps. Only differences mean something. */
  monotonicMs(): number;
  /** Milliseconds since 1970 on the wall clock, which may be set forward or back at any time. */
  wallMs(): number;
  /** Calls back once, when at least `delayMs` have passed on the monotonic clock. Any finite delay is allowed. */
  setTimer(callback: () => void, delayMs: number): Timer;
}

/** The longest delay the platform accepts: above 2³¹−1 ms it fires after 1 ms. */
const LONGEST_TIMER_MS = 2_147_483_647;
/** Less than a microsecond is what floating point leaves of a wait that is over. */
const NOISE_MS = 0.001;

/** Whether timers are the platform's. A test may replace them by fake ones at any time, and `performance` with them. */
export function isPlatformTime(): boolean {
  return globalThis.setTimeout === nativeSetTimeout;
}

/**
 * The clock of the machine. It looks for fake timers at each call, never at import, so that those installed later are
 * obeyed.
 */
export class SystemClock implements Clock {
  monotonicMs(): number {
    // Reading the global takes half as long as the clock itself.
    return isPlatformTime() ? platform.now() : performance.now();
  }

  wallMs(): number {
    return Date.now();
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    return new SystemTimer(callback, delayMs);
  }
}

/** One clock for everybody who gives none: it has no state. */
export const systemClock: Clock = new SystemClock();

class SystemTimer implements Timer {
  private handle: NodeJS.Timeout | undefined;
  private armedMs = 0;
  private askedMs = 0;
  private referenced = true;

  constructor(
    private readonly callback: () => void,
    private restMs: number,
  ) {
    this.arm();
  }

  cancel(): void {
    clearTimeout(this.handle);
  }

  unref(): void {
    this.referenced = false;
    this.handle?.unref();
  }

  ref(): void {
    this.referenced = true;
    this.handle?.ref();
  }

  private arm(): void {
    this.armedMs = performance.now();
    this.askedMs = Math.min(Math.ceil(this.restMs), LONGEST_TIMER_MS);
    this.handle = setTimeout(() => this.fired(), this.askedMs);
    if (!this.referenced) this.handle.unref();
  }

  /** Platform timers may fire up to a millisecond early, and long delays are slept in steps: the rest is slept. */
  private fired(): void {
    const passedMs = performance.now() - this.armedMs;
    this.restMs -= this.isBelievable(passedMs) ? passedMs : this.askedMs;
    if (this.restMs > NOISE_MS) this.arm();
    else this.callback();
  }

  /**
   * Whether the clock tells how long the timer took. A clock that stands still under the platform's timers, or says far
   * less than fake timers were asked for, is faked without them or not faked with them: then the timers are the truth.
   */
  private isBelievable(passedMs: number): boolean {
    return isPlatformTime() ? passedMs > 0 : passedMs * 2 >= this.askedMs;
  }
}

/** Whether a value can serve as a {@link Clock}. */
export function isClock(value: unknown): value is Clock {
  if (typeof value !== 'object' || value === null) return false;
  const clock = value as Partial<Clock>;
  return [clock.monotonicMs, clock.wallMs, clock.setTimer].every((method) => typeof method === 'function');
}

/** Waits at least this long on a clock; zero does not touch a timer. */
export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return delayMs > 0 ? new Promise((resolve) => void clock.setTimer(resolve, delayMs)) : Promise.resolve();
}
