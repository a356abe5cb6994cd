import { INSPECT } from '../errors/printing.js';
import type { Clock } from '../time/clock.js';
import { msToSeconds } from '../time/duration.js';
import type { CurrentAttempt } from './current-attempt.js';

/** Who runs the attempt. */
export interface AttemptOwner {
  readonly operationName: string;
  readonly callId: string;
  readonly clock: Clock;
  readonly idempotencyKey?: string;
}

/** Takes what an attempt has cost. */
export interface CostTaker {
  spend(amount: number): unknown;
}

/** What one attempt shows to the code that runs in it. Made only when that code asks. */
export class AttemptView implements CurrentAttempt {
  // Truly private: loggers print what they find, and the owner holds the arguments of the call.
  readonly #owner: AttemptOwner;
  readonly #dueMs: number;
  /** Kept here, since the owner may have ended long before the code of this attempt does. */
  readonly #costs: CostTaker | undefined;
  #controller: AbortController | undefined;
  #cutBy: { readonly reason: unknown } | undefined;

  constructor(
    owner: AttemptOwner,
    readonly number: number,
    readonly kind: 'primary' | 'fallback',
    readonly lastError: unknown,
    dueMs: number,
    costs?: CostTaker,
  ) {
    this.#owner = owner;
    this.#costs = costs;
    this.#dueMs = dueMs;
  }

  get operationName(): string {
    return this.#owner.operationName;
  }

  get callId(): string {
    return this.#owner.callId;
  }

  get idempotencyKey(): string | undefined {
    return this.#owner.idempotencyKey;
  }

  get remainingSeconds(): number {
    if (this.#dueMs === Infinity) return Infinity;
    return msToSeconds(Math.max(0, this.#dueMs - this.#owner.clock.monotonicMs()));
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cutBy !== undefined) this.#controller.abort(this.#cutBy.reason);
    }
    return this.#controller.signal;
  }

  spend(amount: number): void {
    this.#costs?.spend(amount);
  }

  /** The attempt is over before its method ended. */
  cut(reason: unknown): void {
    if (this.#cutBy !== undefined) return;
    this.#cutBy = { reason };
    this.#controller?.abort(reason);
  }

  toJSON() {
    const { number, kind, operationName, callId } = this;
    return { number, kind, operation_name: operationName, call_id: callId };
  }

  /** @internal */
  [INSPECT](): object {
    return this.toJSON();
  }
}
