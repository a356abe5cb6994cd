import type { Deadline, DeadlineQueue } from '../time/deadline-queue.js';

/** The deadline of a whole call; its attempts' timeouts are the call object itself. */
export class CallDeadline implements Deadline {
  dueMs = 0;
  queue: DeadlineQueue | undefined;
  earlier: Deadline | undefined;
  later: Deadline | undefined;

  constructor(private readonly call: { expireDeadline(): void }) {}

  expire(): void {
    this.call.expireDeadline();
  }
}
