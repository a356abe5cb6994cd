import { listenForAbort, stopListening, type AbortListener } from '../attempt/abort-listeners.js';
import type { Deadline, DeadlineQueue } from '../time/deadline-queue.js';

/** A call, as seen by what can end it. */
export interface TiedCall extends AbortListener {
  expireDeadline(): void;
  defersDeadline(deadline: Deadline, stallMs: number): boolean;
}

/** What can end a call beside its attempt's timeout; made only for calls that have some of it. */
export class Ties implements Deadline {
  dueMs = Infinity;
  queue: DeadlineQueue | undefined;
  earlier: Deadline | undefined;
  later: Deadline | undefined;
  /** The call's deadline has passed. */
  expired = false;
  private readonly signals: AbortSignal[] = [];

  constructor(
    private readonly call: TiedCall,
    /** The calls of the attempt that started this one: it ends with that. */
    private readonly family: Set<AbortListener> | undefined,
  ) {
    family?.add(call);
  }

  listen(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    if (signal.aborted) return this.call.cancel(signal.reason);
    this.signals.push(signal);
    listenForAbort(signal, this.call);
  }

  /** The deadline of the whole call has passed. */
  expire(stallMs: number): void {
    if (stallMs > 0 && this.call.defersDeadline(this, stallMs)) return;
    this.expired = true;
    this.call.expireDeadline();
  }

  cut(): void {
    this.queue?.remove(this);
    this.family?.delete(this.call);
    for (const signal of this.signals) stopListening(signal, this.call);
  }
}
