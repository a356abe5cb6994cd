import { AsyncResource } from 'node:async_hooks';
import type { Subscriber } from 'rxjs';
import { nextTurn } from '../../lib/container.js';
import type { Clock } from '../../lib/index.js';

/** Values that may wait for one subscriber. */
const MOST_WAITING = 1_000;
/** How long a subscriber may keep one turn of the event loop busy before others have theirs. */
const SLICE_MS = 5;

/**
 * What waits for one subscriber. It is told outside the calls that the values are of, which never wait for it, and in
 * the async context in which it has subscribed.
 */
export class SubscriberQueue<T> {
  private readonly waiting: T[] = [];
  private readonly context = new AsyncResource('RelPrimStream');
  private isScheduled = false;

  constructor(
    private readonly subscriber: Subscriber<T>,
    private readonly clock: Clock,
  ) {}

  /** `false` when an older one had to make room. */
  push(value: T): boolean {
    const hasRoom = this.waiting.length < MOST_WAITING;
    if (!hasRoom) this.waiting.shift();
    this.waiting.push(value);
    this.schedule();
    return hasRoom;
  }

  /** Tells all that waits, and the end: there may be no later turn. */
  complete(): void {
    this.context.runInAsyncScope(() => {
      while (this.waiting.length > 0) this.subscriber.next(this.waiting.shift() as T);
      this.subscriber.complete();
    });
  }

  clear(): void {
    this.waiting.length = 0;
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    nextTurn(this.deliverThere);
  }

  private readonly deliverThere = (): void => {
    this.isScheduled = false;
    this.context.runInAsyncScope(this.deliver);
  };

  private readonly deliver = (): void => {
    const lastMs = this.clock.monotonicMs() + SLICE_MS;
    while (this.waiting.length > 0) {
      this.subscriber.next(this.waiting.shift() as T);
      if (this.clock.monotonicMs() >= lastMs) break;
    }
    if (this.waiting.length > 0) this.schedule();
  };
}
