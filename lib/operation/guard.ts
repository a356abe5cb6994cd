import type { ConcurrencyLimit } from '../policies/concurrency-limit/concurrency-limit.js';
import type { Clock } from '../time/clock.js';
import type { DeadlineQueue } from '../time/deadline-queue.js';
import type { FailureKind, GaveUpReason, ShieldDecisions, ShieldIdentity, ShieldMove } from './shielding.js';

/** What one call knows of its shield and its concurrency limit; made only for calls that have one. */
export class Guard {
  readonly identity: ShieldIdentity | undefined;
  /** The shield has something that stands in when it gives up. */
  readonly recovers: boolean;
  /** How long the running attempt may take, where a shield says so. */
  timeoutMs = Infinity;
  timeouts: DeadlineQueue | undefined = undefined;
  /** The limit in which the running attempt has a place. */
  inside: ConcurrencyLimit | undefined = undefined;
  /** The running attempt may begin by the shield's gate, and has called nothing yet. */
  holdsTurn = false;
  /** How long the running attempt waited to be admitted, and all of them. */
  attemptWaitedMs = 0;
  waitedMs = 0;
  /** Why the running attempt was not admitted. */
  refusal: unknown = undefined;
  /** What the latest failure means. */
  kind: FailureKind | undefined = undefined;
  /** Retries that were taken from the budget. */
  retries = 0;
  gaveUp: GaveUpReason | undefined = undefined;
  recoveredBy: string | undefined = undefined;
  /** How the latest attempt moved the limiter. */
  move: ShieldMove | undefined = undefined;

  constructor(
    public shield: ShieldDecisions | undefined,
    public limit: ConcurrencyLimit | undefined,
  ) {
    this.identity = shield?.identity;
    this.recovers = shield?.recovery !== undefined;
  }

  /** A new attempt knows nothing of the one before. */
  openAttempt(): void {
    this.refusal = this.move = this.kind = this.timeouts = undefined;
    this.timeoutMs = Infinity;
    this.attemptWaitedMs = 0;
    this.holdsTurn = false;
  }

  /** The attempt begins: from here on its time counts. */
  begin(clock: Clock): void {
    const { shield } = this;
    if (shield === undefined) return;
    this.timeoutMs = shield.timeoutMs();
    this.timeouts = shield.timeouts(clock, this.timeoutMs);
  }

  /** The attempt has ended: it leaves its place, and gives back a turn that it did not use. */
  exit(nowMs: number): void {
    const { inside } = this;
    if (this.holdsTurn) {
      this.holdsTurn = false;
      this.shield?.gate.giveBack(nowMs);
    }
    if (inside === undefined) return;
    this.inside = undefined;
    inside.exit(nowMs);
  }

  /** The call has ended: only its account stays. */
  release(): void {
    this.shield = this.limit = this.timeouts = this.refusal = this.move = undefined;
  }
}
