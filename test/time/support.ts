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
