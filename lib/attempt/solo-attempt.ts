import { randomUUID } from 'node:crypto';
import { checkFunction } from '../errors/check.js';
import type { Clock } from '../time/clock.js';
import { deadlineQueue, type Deadline, type DeadlineQueue } from '../time/deadline-queue.js';
import { checkSignal, listenForAbort, stopListening, type AbortListener } from './abort-listeners.js';
import { AttemptView, type CostTaker } from './attempt-view.js';
import {
  enterAttempt,
  leaveAttempt,
  runningAttempt,
  type AttemptScope,
  type CurrentAttempt,
} from './current-attempt.js';

/** What a stand-alone policy says about one try. */
export interface SoloAttemptOptions {
  readonly operationName: string;
  readonly clock: Clock;
  readonly number: number;
  readonly lastError?: unknown;
  readonly timeoutMs?: number | undefined;
  /** Makes the error that the try ends with at its timeout; told how long the event loop was blocked then. */
  readonly timeoutError?: (stallMs: number) => unknown;
  readonly signal?: AbortSignal | undefined;
  /** Where what the try says that it cost is counted. Default: where the attempt counts it in whose code this runs. */
  readonly budget?: CostTaker | undefined;
}

/** One try of a policy that is used alone, without an operation around it: it can time out and be cancelled. */
export function runSoloAttempt<A extends unknown[], R>(
  options: SoloAttemptOptions,
  fn: (...args: A) => R,
  args: A,
): Promise<Awaited<R>> {
  checkFunction('fn', fn);
  checkSignal(options.signal);
  return new Promise((resolve, reject) => new SoloAttempt(options, reject).run(fn, args, resolve));
}

class SoloAttempt implements AttemptScope, AbortListener, Deadline {
  dueMs = 0;
  queue: DeadlineQueue | undefined;
  earlier: Deadline | undefined;
  later: Deadline | undefined;
  private view: AttemptView | undefined;
  /** The attempt in whose synchronous part this one's runs. */
  private parent: AttemptScope | undefined;
  private started: Set<AbortListener> | undefined;
  private family: Set<AbortListener> | undefined;
  private id: string | undefined;
  private ended = false;
  private cutBy: { readonly reason: unknown } | undefined;
  private readonly startMs: number;

  constructor(
    private readonly options: SoloAttemptOptions,
    private readonly reject: (reason: unknown) => void,
  ) {
    this.startMs = options.clock.monotonicMs();
  }

  get operationName(): string {
    return this.options.operationName;
  }

  get callId(): string {
    return (this.id ??= randomUUID());
  }

  get clock(): Clock {
    return this.options.clock;
  }

  get cancelled(): boolean {
    return this.cutBy !== undefined;
  }

  get cancelReason(): unknown {
    return this.cutBy?.reason;
  }

  attempt(): CurrentAttempt {
    const { number, lastError, timeoutMs = Infinity, budget } = this.options;
    if (this.view === undefined) {
      const costs = budget ?? this.parent?.attempt();
      this.view = new AttemptView(this, number, 'primary', lastError, this.startMs + timeoutMs, costs);
      if (this.cutBy !== undefined) this.view.cut(this.cutBy.reason);
    }
    return this.view;
  }

  children(): Set<AbortListener> {
    return (this.started ??= new Set());
  }

  run<A extends unknown[], R>(fn: (...args: A) => R, args: A, resolve: (value: Awaited<R>) => void): void {
    const { signal, timeoutMs } = this.options;
    if (signal?.aborted === true) return this.reject(signal.reason);
    const parent = runningAttempt();
    if (parent?.cancelled === true) return this.reject(parent.cancelReason);
    this.parent = parent;
    this.family = parent?.children();
    this.family?.add(this);
    if (signal !== undefined) listenForAbort(signal, this);
    const outer = enterAttempt(this);
    try {
      const outcome = Promise.resolve(fn(...args));
      if (timeoutMs !== undefined && !this.ended)
        deadlineQueue(this.clock, timeoutMs).add(this, this.startMs);
      outcome.then(
        (value) => this.end(() => resolve(value)),
        (error: unknown) => this.end(() => this.reject(error)),
      );
    } catch (error) {
      this.end(() => this.reject(error));
    } finally {
      leaveAttempt(outer);
      this.parent = undefined;
    }
  }

  expire(stallMs: number): void {
    this.cancel(this.options.timeoutError?.(stallMs));
  }

  cancel(reason: unknown): void {
    if (this.ended) return;
    this.cutBy = { reason };
    this.end(() => this.reject(reason));
    // Nobody waits any more for the code that still runs, nor for the calls that it started.
    this.view?.cut(reason);
    for (const child of this.started ?? []) child.cancel(reason);
  }

  private end(settle: () => void): void {
    if (this.ended) return;
    this.ended = true;
    this.queue?.remove(this);
    this.family?.delete(this);
    if (this.options.signal !== undefined) stopListening(this.options.signal, this);
    settle();
  }
}

/** Waits on a clock; an abort ends the wait at once, with the signal's reason. */
export function abortableSleep(
  clock: Clock,
  delayMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
  if (delayMs <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const fail: (reason: unknown) => void = reject;
    const cancel = (reason: unknown): void => {
      timer.cancel();
      fail(reason);
    };
    const listener: AbortListener = { cancel };
    const timer = clock.setTimer(() => {
      if (signal !== undefined) stopListening(signal, listener);
      resolve();
    }, delayMs);
    if (signal !== undefined) listenForAbort(signal, listener);
  });
}
