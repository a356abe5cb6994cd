import { Observable, type Subscriber } from 'rxjs';
import type { Clock } from '../../lib/index.js';
import { SubscriberQueue } from './subscriber-queue.js';

/** What a stream is made of. */
export interface HotStreamParts {
  /** As people know it, for warnings. */
  readonly name: string;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  /** Begins to give values, for the first subscriber; gives what ends that, after the last one. */
  readonly open: () => () => void;
}

const WARN_EVERY_MS = 60_000;

/** Values as they come, for those who are subscribed at that moment. Without subscribers nothing is opened or kept. */
export class HotStream<T> {
  readonly observable: Observable<T>;
  private readonly queues = new Set<SubscriberQueue<T>>();
  private close: (() => void) | undefined = undefined;
  private hasEnded = false;
  private missed = 0;
  private warnedMs = -Infinity;

  constructor(private readonly parts: HotStreamParts) {
    this.observable = new Observable((subscriber) => this.subscribe(subscriber));
  }

  /** How many values subscribers did not get, as too many were waiting for them. */
  get dropped(): number {
    return this.missed;
  }

  push(value: T): void {
    for (const queue of this.queues) if (!queue.push(value)) this.drop();
  }

  /** Subscribers get what still waits for them, and then the end. */
  complete(): void {
    this.hasEnded = true;
    this.rest();
    for (const queue of [...this.queues]) queue.complete();
  }

  private subscribe(subscriber: Subscriber<T>): (() => void) | undefined {
    if (this.hasEnded) {
      subscriber.complete();
      return undefined;
    }
    const queue = new SubscriberQueue(subscriber, this.parts.clock);
    this.queues.add(queue);
    this.close ??= this.parts.open();
    return () => {
      queue.clear();
      this.queues.delete(queue);
      if (this.queues.size === 0) this.rest();
    };
  }

  private rest(): void {
    this.close?.();
    this.close = undefined;
  }

  /** Said at most once a minute. */
  private drop(): void {
    this.missed += 1;
    const nowMs = this.parts.clock.monotonicMs();
    if (nowMs - this.warnedMs < WARN_EVERY_MS) return;
    this.warnedMs = nowMs;
    this.parts.warn(`a subscriber of ${this.parts.name} is too slow: ${this.missed} dropped so far`);
  }
}
