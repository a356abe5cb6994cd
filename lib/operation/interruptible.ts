import { isAbortSignal, listenForAbort, stopListening, type AbortListener } from '../attempt/abort-listeners.js';
import { runningAttempt } from '../attempt/current-attempt.js';
import { MisuseError } from '../errors/misuse-error.js';
import type { Deadline, DeadlineQueue } from '../time/deadline-queue.js';
import { CallDeadline } from './call-deadline.js';
import type { Plan } from './plan.js';

/** What a wait is rejected with when the call itself ends it; never seen outside the engine. */
export const CUT = Symbol('cut');

/** Where a call is. Its deadline ends only what it covers: the attempt, its validation and the waits. */
export type Phase = 'between' | 'attempt' | 'validation' | 'wait' | 'fallback' | 'telling';

const NO_ARGUMENTS: readonly unknown[] = [];

/**
 * The part of a call that can be ended from outside: by the timeout of its attempt, whose queue node it is itself, by
 * its deadline, by the caller's signal, or with the attempt of another call that started it.
 */
export abstract class Interruptible implements Deadline, AbortListener {
  dueMs = 0;
  queue: DeadlineQueue | undefined = undefined;
  earlier: Deadline | undefined = undefined;
  later: Deadline | undefined = undefined;

  readonly startMs: number;
  phase: Phase = 'between';
  /** The caller has gone away. */
  cancelled = false;
  cancelReason: unknown = undefined;
  attemptExpired = false;
  deadlineExpired = false;
  protected interruptible = false;
  private interrupt: ((reason: unknown) => void) | undefined = undefined;
  private deadline: CallDeadline | undefined = undefined;
  private signal: AbortSignal | undefined = undefined;
  private family: Set<AbortListener> | undefined = undefined;

  constructor(
    readonly plan: Plan,
    public self: unknown,
    public args: readonly unknown[],
    private readonly ambientSignal: AbortSignal | undefined,
  ) {
    this.startMs = plan.host.clock.monotonicMs();
  }

  get deadlineDueMs(): number {
    return this.startMs + this.plan.deadlineMs;
  }

  /** Finds out who may end this call. @throws what a selector throws, and {@link CUT} when somebody has done so already. */
  begin(): void {
    const { plan } = this;
    const family = runningAttempt()?.children();
    if (family === undefined && plan.signal === undefined && this.ambientSignal === undefined && plan.deadlines === undefined) {
      this.interruptible = plan.timeouts !== undefined;
      return;
    }
    this.interruptible = true;
    if (family !== undefined) (this.family = family).add(this);
    this.signal = this.findSignal();
    this.listen(this.signal);
    this.listen(this.ambientSignal);
    if (this.cancelled) throw CUT;
    if (plan.deadlines !== undefined) {
      this.deadline = new CallDeadline(this);
      plan.deadlines.add(this.deadline, this.startMs);
    }
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
    return new Promise((resolve, reject) => {
      this.interrupt = reject;
      outcome.then(resolve, reject);
    });
  }

  /** Waits on the clock, unless the call is cut first. Zero does not touch a timer. */
  async wait(delayMs: number): Promise<void> {
    if (delayMs <= 0) return;
    this.phase = 'wait';
    let cancelTimer: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.interrupt = reject;
        const timer = this.plan.host.clock.setTimer(resolve, delayMs);
        cancelTimer = () => timer.cancel();
      });
    } finally {
      cancelTimer?.();
      this.interrupt = undefined;
      this.phase = 'between';
    }
  }

  /** The attempt's timeout has passed. */
  expire(): void {
    this.attemptExpired = true;
    this.cutNow();
  }

  /** The call's deadline has passed. */
  expireDeadline(): void {
    this.deadlineExpired = true;
    if (this.phase === 'attempt' || this.phase === 'validation' || this.phase === 'wait') this.cutNow();
  }

  /** The caller has gone away. */
  cancel(reason: unknown): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.cancelReason = reason;
    this.cutNow();
  }

  /** Lets go of everything that could end the call, and of what only a running call needs. */
  release(): void {
    if (this.queue !== undefined) this.queue.remove(this);
    if (this.deadline !== undefined) this.deadline.queue?.remove(this.deadline);
    if (this.signal !== undefined) stopListening(this.signal, this);
    if (this.ambientSignal !== undefined) stopListening(this.ambientSignal, this);
    if (this.family !== undefined) this.family.delete(this);
    this.interrupt = this.deadline = this.signal = this.family = undefined;
    this.self = this.cancelReason = undefined;
    this.args = NO_ARGUMENTS;
  }

  protected cutNow(): void {
    const { interrupt } = this;
    this.interrupt = undefined;
    interrupt?.(CUT);
  }

  private listen(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    if (signal.aborted) this.cancel(signal.reason);
    else listenForAbort(signal, this);
  }

  private findSignal(): AbortSignal | undefined {
    const { signal } = this.plan;
    if (typeof signal !== 'function') return signal;
    const found: unknown = signal.apply(this.self, this.args as unknown[]);
    if (found === undefined || isAbortSignal(found)) return found;
    throw new MisuseError(`${this.plan.name}: signal must find an AbortSignal or undefined`);
  }
}
