import type { Waiter } from './waiting-line.js';

/** What an attempt must pass before it begins. */
export interface Gate {
  /** Goes in, if nobody waits in front and there is room. Counts as having gone in. */
  tryEnter(nowMs: number): boolean;
  /** Stands in line. @throws the refusal, where it may not wait. */
  wait(waiter: Waiter, nowMs: number): void;
  /** Leaves the line; says whether it still stood there. The next one moves up. */
  leave(waiter: Waiter, nowMs: number): boolean;
  /** Was let in and did not begin: gives the place to the next one. */
  giveBack(nowMs: number): void;
  /** Began, and has ended. */
  exit(nowMs: number): void;
}
