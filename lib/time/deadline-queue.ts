import { isPlatformTime, SystemClock, type Clock, type Timer } from './clock.js';
import { DeadlineLine } from './deadline-line.js';
import { setDetachedTimer } from './detached-timer.js';
import { stallOf } from './event-loop-stall.js';

/** Something that must end in time. */
export interface Deadline {
  dueMs: number;
  queue: DeadlineQueue | undefined;
  earlier: Deadline | undefined;
  later: Deadline | undefined;
  /**
   * Called once when the time is up; the queue has let go of the object already. `stallMs`: for how long of that time
   * the event loop was certainly blocked; 0 where it was not.
   */
  expire(stallMs: number): void;
}

/**
 * The deadlines of one length on one clock. Equal lengths are due in the order they began, so one timer, for the
 * first of them, serves all: adding and removing costs a few assignments, whatever the number in flight.
 */
export class DeadlineQueue extends DeadlineLine<Deadline> {
  private timer: Timer | undefined;
  private timerDueMs = 0;
  /** The timer holds the process, since somebody waited when nothing else was left to do. */
  private keepsAlive = false;
  /** Whether the timers are the platform's, which a test may replace by fake ones at any time. */
  private readonly onPlatform: boolean;
  /** Deadlines under fake timers. */
  private alone: Map<Deadline, Timer> | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly lengthMs: number,
  ) {
    super();
    this.onPlatform = clock instanceof SystemClock;
  }

  /** Starts watching something that began at `startMs`. */
  add(deadline: Deadline, startMs: number): void {
    deadline.queue = this;
    deadline.dueMs = startMs + this.lengthMs;
    if (this.isFaked()) return this.addAlone(deadline, this.clock.monotonicMs());
    this.link(deadline);
    if (this.timer === undefined || deadline.dueMs < this.timerDueMs) this.arm();
  }

  /** Stops watching. */
  remove(deadline: Deadline): void {
    if (deadline.queue !== this) return;
    const timer = this.alone?.get(deadline);
    if (timer !== undefined) return this.removeAlone(deadline, timer);
    this.unlink(deadline);
    if (this.first !== undefined) return;
    // An empty queue may keep the platform's timer until it fires, which saves two timer operations in every call.
    if (this.onPlatform) return this.letProcessEnd();
    this.disarm();
    this.rest();
  }

  /** Keeps the process alive until the first deadline, if there is one, or until nobody waits any more. */
  keepAlive(): void {
    if (this.first !== undefined) {
      this.timer?.ref?.();
      this.keepsAlive = true;
    }
    for (const timer of this.alone?.values() ?? []) timer.ref?.();
  }

  private letProcessEnd(): void {
    if (this.keepsAlive) this.timer?.unref?.();
    this.keepsAlive = false;
  }

  private isFaked(): boolean {
    return this.onPlatform && !isPlatformTime();
  }

  /**
   * Fake timers may be cleared, may go before they fire, and may run on another clock than the one we read: under
   * them each deadline has a timer of its own, so that what becomes of one is nothing to the others.
   */
  private addAlone(deadline: Deadline, nowMs: number): void {
    const expire = (): void => {
      this.removeAlone(deadline, timer);
      deadline.expire(0);
    };
    const timer = this.clock.setTimer(expire, Math.max(0, deadline.dueMs - nowMs));
    timer.unref?.();
    (this.alone ??= new Map<Deadline, Timer>()).set(deadline, timer);
    watchUntilProcessEnd(this);
  }

  private removeAlone(deadline: Deadline, timer: Timer): void {
    timer.cancel();
    deadline.queue = undefined;
    this.alone?.delete(deadline);
    this.rest();
  }

  protected override unlink(deadline: Deadline): void {
    super.unlink(deadline);
    deadline.queue = undefined;
  }

  private arm(): void {
    this.disarm();
    const first = this.first;
    if (first === undefined) return;
    const delayMs = Math.max(0, first.dueMs - this.clock.monotonicMs());
    this.timerDueMs = first.dueMs;
    this.timer = setDetachedTimer(this.clock, () => this.fired(), delayMs);
    this.timer.unref?.();
    if (this.onPlatform) watchUntilProcessEnd(this);
  }

  private disarm(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  private fired(): void {
    this.timer = undefined;
    const nowMs = Math.max(this.clock.monotonicMs(), this.timerDueMs);
    const stallMs = stallOf(nowMs - this.timerDueMs, this.lengthMs);
    for (let first = this.first; first !== undefined && first.dueMs <= nowMs; first = this.first) {
      const startMs = first.dueMs - this.lengthMs;
      this.unlink(first);
      // It may have begun while the loop was blocked, in the very code that blocked it.
      first.expire(Math.min(stallMs, nowMs - startMs));
    }
    if (this.isFaked()) this.leaveEachAlone(nowMs);
    else if (this.timer === undefined) this.arm();
    this.rest();
  }

  /** Fake timers have come while these waited. */
  private leaveEachAlone(nowMs: number): void {
    for (let first = this.first; first !== undefined; first = this.first) {
      this.unlink(first);
      first.queue = this;
      this.addAlone(first, nowMs);
    }
  }

  /** When nobody waits the length is forgotten, as an application may use any number of lengths. */
  private rest(): void {
    if (this.first !== undefined || this.timer !== undefined || (this.alone?.size ?? 0) > 0) return;
    armed.delete(this);
    const ofClock = queues.get(this.clock);
    if (ofClock?.get(this.lengthMs) === this) ofClock.delete(this.lengthMs);
  }
}

const queues = new WeakMap<Clock, Map<number, DeadlineQueue>>();

/** The queue that all deadlines of this length on this clock share. */
export function deadlineQueue(clock: Clock, lengthMs: number): DeadlineQueue {
  let ofClock = queues.get(clock);
  if (ofClock === undefined) queues.set(clock, (ofClock = new Map<number, DeadlineQueue>()));
  let queue = ofClock.get(lengthMs);
  if (queue === undefined) ofClock.set(lengthMs, (queue = new DeadlineQueue(clock, lengthMs)));
  return queue;
}

/** The queues that have timers of the platform set. */
const armed = new Set<DeadlineQueue>();
let watching = false;

/**
 * Deadline timers do not keep a process alive while calls succeed. When nothing else is left to run, though, a call
 * that still waits for its timeout must get it, rather than vanish with the process.
 */
function watchUntilProcessEnd(queue: DeadlineQueue): void {
  armed.add(queue);
  if (watching) return;
  watching = true;
  process.on('beforeExit', () => {
    for (const waiting of armed) waiting.keepAlive();
  });
}
