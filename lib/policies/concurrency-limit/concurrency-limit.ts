import { abortableEntry, type EndOfWaits } from '../../attempt/abortable-entry.js';
import { callersSignal } from '../../attempt/callers-signal.js';
import { runSoloAttempt } from '../../attempt/solo-attempt.js';
import { WaitingLine, type Waiter } from '../../attempt/waiting-line.js';
import {
  checkCount,
  checkDuration,
  checkName,
  checkOptions,
  checkTimeOptions,
  type TimeOptions,
} from '../../errors/check.js';
import { systemClock, type Clock } from '../../time/clock.js';
import { msToSeconds, type Duration } from '../../time/duration.js';
import { concurrencyRefusal } from './concurrency-limit-error.js';

/** Where those wait who find the limit full. */
export interface ConcurrencyQueueOptions {
  /** How many may wait. Default 0: a full limit refuses at once. */
  readonly size?: number | undefined;
  /** How long each waits before it is refused. Default: as long as its caller does. */
  readonly maxWait?: Duration | undefined;
}

/** Options of {@link ConcurrencyLimit}. */
export interface ConcurrencyLimitOptions extends Pick<TimeOptions, 'clock'> {
  /** Names what is limited. Default `'default'`. */
  readonly name?: string | undefined;
  /** How many attempts run at once, at most. */
  readonly maxConcurrent: number;
  readonly queue?: ConcurrencyQueueOptions | undefined;
}

/** What only the container says. */
export interface ConcurrencyLimitInternals {
  /** Ends waits for `run` when the application stops. */
  readonly shutdown?: EndOfWaits | undefined;
}

/** A limit at one moment. */
export interface ConcurrencyLimitSnapshot {
  readonly name: string;
  readonly maxConcurrent: number;
  /** Attempts that run now. */
  readonly running: number;
  readonly waiting: number;
  readonly queueSize: number;
  /** `null` without a limit of its own. */
  readonly maxWaitSeconds: number | null;
  /** Attempts that were refused so far. */
  readonly refused: number;
}

/**
 * How many attempts run at once, at most: a bulkhead. Who finds it full waits in line, first in first out, where there
 * is a queue, and is refused otherwise. An attempt leaves its place when it ends, also when it is cut by its timeout;
 * between two attempts a call holds none.
 */
export class ConcurrencyLimit {
  readonly name: string;
  readonly maxConcurrent: number;
  private readonly queueSize: number;
  private readonly maxWaitMs: number;
  private readonly clock: Clock;
  private readonly shutdown: EndOfWaits | undefined;
  private readonly line = new WaitingLine((nowMs) => this.look(nowMs));
  private running = 0;
  private refused = 0;

  /** @throws {ConfigurationError} for a limit below 1 or not whole, a queue size below 0, or a wait that is no duration. */
  constructor(options: ConcurrencyLimitOptions);
  /** @internal */
  constructor(options: ConcurrencyLimitOptions, internals?: ConcurrencyLimitInternals);
  constructor(options: ConcurrencyLimitOptions, internals: ConcurrencyLimitInternals = {}) {
    checkOptions('concurrencyLimit', options, ['name', 'maxConcurrent', 'queue', 'clock']);
    checkTimeOptions(options);
    const { name = 'default', maxConcurrent, queue = {}, clock = systemClock } = options;
    checkOptions('queue', queue, ['size', 'maxWait']);
    this.name = checkName('name', name);
    this.maxConcurrent = checkCount('maxConcurrent', maxConcurrent, 1);
    this.queueSize = checkCount('queue.size', queue.size ?? 0, 0);
    this.maxWaitMs = queue.maxWait === undefined ? Infinity : checkDuration('queue.maxWait', queue.maxWait);
    this.clock = clock;
    this.shutdown = internals.shutdown;
  }

  /**
   * Calls `fn` once there is room.
   * @throws {ConcurrencyLimitError} when there is none and no place to wait, or the wait grows too long.
   */
  run<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): Promise<Awaited<R>> {
    return this.runWith({}, fn, ...args);
  }

  /** `run` that ends at once, in line or inside, with the signal's reason, when the caller aborts. */
  async runWith<A extends unknown[], R>(
    { signal }: { readonly signal?: AbortSignal | undefined },
    fn: (...args: A) => R,
    ...args: A
  ): Promise<Awaited<R>> {
    const { clock } = this;
    const caller = callersSignal(signal);
    try {
      const { signal: callersOwn } = caller;
      const options = { operationName: 'ConcurrencyLimit.run', clock, number: 1, signal: callersOwn };
      await abortableEntry(this, { ...options, shutdown: this.shutdown });
      try {
        return await runSoloAttempt(options, fn, args);
      } finally {
        this.exit(clock.monotonicMs());
      }
    } finally {
      caller.release();
    }
  }

  snapshot(): ConcurrencyLimitSnapshot {
    const { name, maxConcurrent, running, queueSize, maxWaitMs, refused } = this;
    const maxWaitSeconds = maxWaitMs === Infinity ? null : msToSeconds(maxWaitMs);
    return { name, maxConcurrent, running, waiting: this.line.size, queueSize, maxWaitSeconds, refused };
  }

  /** @internal */
  tryEnter(_nowMs: number): boolean {
    if (this.running >= this.maxConcurrent || this.line.size > 0) return false;
    this.running += 1;
    return true;
  }

  /** @internal */
  wait(waiter: Waiter, nowMs: number): void {
    if (this.line.size >= this.queueSize) throw this.refusal('queue_full');
    if (this.line.join(waiter, nowMs, this.maxWaitMs)) this.line.wakeAt(Infinity, nowMs);
  }

  /** @internal */
  leave(waiter: Waiter, nowMs: number): boolean {
    const wasFirst = this.line.first === waiter;
    const stood = this.line.remove(waiter);
    if (wasFirst) this.line.wakeAt(Infinity, nowMs);
    return stood;
  }

  /** @internal */
  giveBack(nowMs: number): void {
    this.exit(nowMs);
  }

  /** @internal */
  exit(nowMs: number): void {
    this.running -= 1;
    if (this.line.size === 0) return;
    this.running += 1;
    this.line.admitFirst();
    this.line.wakeAt(Infinity, nowMs);
  }

  private look(nowMs: number): void {
    this.line.refuseDue(nowMs, () => this.refusal('waited_too_long'));
    this.line.wakeAt(Infinity, nowMs);
  }

  private refusal(reason: 'queue_full' | 'waited_too_long') {
    this.refused += 1;
    return concurrencyRefusal(this.name, reason, this.maxConcurrent, this.line.size);
  }
}

/** Also a limit of another copy of this package. */
export function isConcurrencyLimit(value: unknown): value is ConcurrencyLimit {
  if (value instanceof ConcurrencyLimit) return true;
  const limit = value as Partial<ConcurrencyLimit> | null | undefined;
  return typeof limit?.maxConcurrent === 'number' && typeof limit.tryEnter === 'function';
}
