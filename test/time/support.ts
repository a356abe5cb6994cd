import { performance as realPerformance } from 'node:perf_hooks';
import { setTimeout as realSetTimeout } from 'node:timers';
import type { Deadline, DeadlineQueue } from '../../lib/time/deadline-queue.js';

/** A deadline that writes its name down when it expires. */
export class NamedDeadline implements Deadline {
  dueMs = 0;
  queue: DeadlineQueue | undefined;
  earlier: Deadline | undefined;
  later: Deadline | undefined;

  constructor(
    readonly name: string,
    private readonly expired: string[],
    private readonly then: () => void = () => undefined,
  ) {}

  expire(): void {
    this.expired.push(this.name);
    this.then();
  }
}

/** Real time, also where timers are faked. */
export function realMilliseconds(ms: number): Promise<void> {
  return new Promise((resolve) => void realSetTimeout(resolve, ms));
}

export function realNow(): number {
  return realPerformance.now();
}

/** Work that never ends. */
export function hang(): Promise<never> {
  return new Promise(() => undefined);
}

/** How a promise stands, without waiting for it. */
export function watch(promise: Promise<unknown>): { state: 'pending' | 'fulfilled' | 'rejected'; outcome: unknown } {
  const watched: ReturnType<typeof watch> = { state: 'pending', outcome: undefined };
  promise.then(
    (value) => Object.assign(watched, { state: 'fulfilled', outcome: value }),
    (error: unknown) => Object.assign(watched, { state: 'rejected', outcome: error }),
  );
  return watched;
}
