import { runningAttempt } from '../attempt/current-attempt.js';
import { INSPECT } from '../errors/printing.js';
import type { Deadline, DeadlineQueue } from '../time/deadline-queue.js';
import { findSignal } from './find-signal.js';
import type { Plan } from './plan.js';
import { Ties, type TiedCall } from './ties.js';

/** What a wait is rejected with when the call itself ends it; never seen outside the engine. */
export const CUT = Symbol('cut');

/** Where a call is. Its deadline ends only what it covers: the attempt, its validation and the waits. */
export type Phase = 'between' | 'attempt' | 'validation' | 'wait' | 'fallback' | 'telling';

const NO_ARGUMENTS: readonly unknown[] = [];

/**
 * The part of a call that can be ended from outside: by the timeout of its attempt, whose queue node it is itself, by
 * its deadline, by the caller's signal, or with the attempt of another call that started it.
 */
export abstract class Interruptible implements Deadline, TiedCall {
  dueMs = 0;
  queue: DeadlineQueue | undefined = undefined;
  earlier: Deadline | undefined = undefined;
  later: Deadline | undefined = undefined;

  phase: Phase = 'between';
  /** The caller has gone away. */
  cancelled = false;
  /** The running attempt has met its timeout. */
  attemptExpired = false;
  interruptible = false;
  private interrupt: ((reason: unknown) => void) | undefined = undefined;
  private ties: Ties | undefined = undefined;
  private reason: unknown = undefined;

  constructor(
    public plan: Plan,
    public self: unknown,
    public args: readonly unknown[],
    readonly startMs: number = plan.host.clock.monotonicMs(),
  ) {}

  /** When the deadline of the whole call passes; `Infinity` without one. */
  get deadlineDueMs(): number {
    return this.startMs + this.plan.deadlineMs;
  }

  /** What is left of that deadline; 0 once its timer has fired, whatever the clock says. */
  get remainingMs(): number {
    if (this.plan.deadlines === undefined) return Infinity;
    return this.deadlineExpired ? 0 : this.deadlineDueMs - this.plan.host.clock.monotonicMs();
  }

  get deadlineExpired(): boolean {
    return this.ties?.expired === true;
  }

  get cancelReason(): unknown {
    return this.reason;
  }

  /** Somebody or something outside may end it. */
  get isTied(): boolean {
    return this.ties !== undefined;
  }

  /**
   * Finds out who may end this call.
   * @throws what a selector throws, and {@link CUT} when somebody has ended it already.
   */
  begin(ownSignal: AbortSignal | undefined, watchSignal: AbortSignal | undefined): void {
    const { signal, deadlines, timeouts, observable, guards } = this.plan;
    const outer = runningAttempt();
    const family = outer?.children();
    if ((family ?? signal ?? ownSignal ?? watchSignal ?? deadlines) === undefined) {
      this.interruptible = (timeouts ?? observable ?? guards?.shield) !== undefined;
      return;
    }
    this.interruptible = true;
    this.ties = new Ties(this, family);
    if (outer?.cancelled === true) this.cancel(outer.cancelReason);
    this.ties.listen(ownSignal);
    this.ties.listen(watchSignal);
    this.ties.listen(findSignal(this));
    if (this.cancelled) throw CUT;
    deadlines?.add(this.ties, this.startMs);
  }

  /** For a call that nobody's signal and no other call ends. */
  protected beginAlone(mayBeCancelled: boolean): void {
    const { deadlines, timeouts, observable, guards } = this.plan;
    const end = timeouts ?? deadlines ?? observable ?? guards?.shield;
    this.interruptible = mayBeCancelled || end !== undefined;
    if (deadlines !== undefined) deadlines.add((this.ties = new Ties(this, undefined)), this.startMs);
  }

  /** What was awaited has come: nothing may end it any more. @throws {@link CUT} when the caller went away meanwhile. */
  stopWaiting(): void {
    this.dropTimers();
    if (this.cancelled) throw CUT;
  }

  dropTimers(): void {
    if (this.queue !== undefined) this.queue.remove(this);
    this.interrupt = undefined;
  }

  /** Awaits something that the caller, and in its phases the deadline, may end before its time. */
  untilCut<T>(outcome: PromiseLike<T>): Promise<T> {
    let settle!: (value: T) => void;
    let reject!: (reason: unknown) => void;
    const promise = new Promise<T>((resolve, refuse) => {
      settle = resolve;
      this.interrupt = reject = refuse;
    });
    // A foreign thenable may do what it likes inside `then`; the platform knows how to take that.
    (outcome instanceof Promise ? outcome : Promise.resolve(outcome)).then(settle, reject);
    // Code that ran just now may have let the caller go away.
    if (this.cancelled) this.cutNow();
    return promise;
  }

  /** Waits on the clock, for more than zero, unless the call is cut first. */
  async wait(delayMs: number): Promise<void> {
    if (this.cancelled) throw CUT;
    this.phase = 'wait';
    let wake!: () => void;
    const promise = new Promise<void>((resolve, refuse) => {
      wake = resolve;
      this.interrupt = refuse;
    });
    const timer = this.plan.host.clock.setTimer(wake, delayMs);
    try {
      await promise;
    } finally {
      timer.cancel();
      this.interrupt = undefined;
      this.phase = 'between';
    }
  }

  /** The attempt's timeout has passed. */
  expire(stallMs: number): void {
    if (stallMs > 0 && this.defersTimeout(stallMs)) return;
    this.attemptExpired = true;
    this.cutNow();
  }

  /** Whether the limit that has come due in a blocked event loop is deferred. */
  protected abstract defersTimeout(stallMs: number): boolean;
  abstract defersDeadline(deadline: Deadline, stallMs: number): boolean;

  /** The call's deadline has passed. */
  expireDeadline(): void {
    if (this.phase === 'attempt' || this.phase === 'validation' || this.phase === 'wait') this.cutNow();
  }

  /** The caller has gone away. */
  cancel(reason: unknown): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.reason = reason;
    this.cutNow();
  }

  /** Lets go of everything that could end the call, and of what only a running call needs. */
  release(): void {
    if (this.queue !== undefined) this.queue.remove(this);
    if (this.ties !== undefined) this.untie();
    this.interrupt = this.self = undefined;
    this.args = NO_ARGUMENTS;
    this.plan = this.plan.ended;
  }

  /** A promise that somebody logs carries its call along: nothing of it, arguments least of all, belongs there. */
  [INSPECT](): string {
    return `<${this.plan.name}>`;
  }

  private cutNow(): void {
    const { interrupt } = this;
    this.interrupt = undefined;
    interrupt?.(CUT);
  }

  private untie(): void {
    this.ties?.cut();
    this.ties = this.reason = undefined;
  }
}
