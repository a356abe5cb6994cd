import { errorType } from '../report/execution-error.js';
import type { Clock } from '../time/clock.js';
import type { EventSink } from './event-sink.js';
import type { AnyEvent } from './structured-event.js';
import { tellSink } from './telling.js';

/** What an isolated sink needs from its emitter. */
export interface IsolationOptions {
  readonly clock: Clock;
  readonly queueSize: number;
  readonly warn: (message: string) => void;
}

const WARN_EVERY_MS = 60_000;
/** What a sink has to do that has nothing to do. */
const NOTHING: Promise<void> = Promise.resolve();

/** Keeps a sink's errors and its slowness away from the calls: a bounded queue, told in order, never awaited. */
export class IsolatedSink {
  /** Events that were not told because the queue was full. */
  dropped = 0;
  /** Events whose sink failed. */
  failed = 0;
  private waiting = 0;
  private last = NOTHING;
  private warnedMs = -Infinity;

  constructor(
    private readonly sink: EventSink,
    private readonly options: IsolationOptions,
  ) {}

  tell(event: AnyEvent): void {
    if (this.waiting === 0) this.tellNow(event);
    else if (this.waiting < this.options.queueSize) {
      this.waiting += 1;
      // A continuation registered here runs in the async context of the call that the event belongs to.
      this.last = this.last.then(() => this.promiseOf(event)).then(this.done, this.broken);
    } else {
      this.dropped += 1;
      this.warn(
        `is too slow: ${this.dropped} event(s) dropped so far, as ${this.options.queueSize} were waiting`,
      );
    }
  }

  /** Resolves when everything told so far has been taken or has failed, and the sink has flushed what it keeps. */
  async flush(): Promise<void> {
    await this.last;
    try {
      await this.sink.flush?.();
    } catch (error) {
      // Its last words, whenever its last complaint was.
      this.warnedMs = -Infinity;
      this.warn(`failed to flush with ${errorType(error)}`);
    }
  }

  private tellNow(event: AnyEvent): void {
    try {
      const told = this.promiseOf(event);
      if (told === undefined) return;
      this.waiting += 1;
      this.last = told.then(this.done, this.broken);
    } catch (error) {
      this.failed += 1;
      this.warnOf(error);
    }
  }

  /** Only a real promise is waited for: another thenable may begin its work when asked, or never end. */
  private promiseOf(event: AnyEvent): Promise<void> | undefined {
    const told = tellSink(this.sink, event);
    return told instanceof Promise ? told : undefined;
  }

  private readonly done = (): void => {
    this.waiting -= 1;
    // A promise holds the async context of the call that it was made in.
    if (this.waiting === 0) this.last = NOTHING;
  };

  private readonly broken = (error: unknown): void => {
    this.done();
    this.failed += 1;
    this.warnOf(error);
  };

  private warnOf(error: unknown): void {
    this.warn(`failed with ${errorType(error)}: ${this.failed} event(s) lost so far`);
  }

  /** At most once a minute: a broken sink must not flood the log that would help to mend it. */
  private warn(problem: string): void {
    const nowMs = this.options.clock.monotonicMs();
    if (nowMs - this.warnedMs < WARN_EVERY_MS) return;
    this.warnedMs = nowMs;
    try {
      this.options.warn(`event sink ${errorType(this.sink)} ${problem}`);
    } catch {
      // Nobody is left to be told, and a call must not be.
    }
  }
}
