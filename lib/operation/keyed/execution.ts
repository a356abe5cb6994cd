import { Call } from '../call.js';
import { isWithoutValue } from '../observable-attempt.js';
import type { Plan } from '../plan.js';
import { KeptAccount } from './kept-account.js';

/**
 * The execution of a key. Its callers come and go: only its own deadline and the last of them to leave can end it. It
 * rejects with a `Rejection`, which each of them is told in the form that it asked for.
 */
export class Execution extends Call {
  /** What whoever executes was called before, in events about the store. */
  knownAs: string | undefined = undefined;
  private kept: KeptAccount | undefined = undefined;

  constructor(
    plan: Plan,
    self: unknown,
    args: readonly unknown[],
    /** When whoever executes was called: asking for the key is part of its time. */
    startMs: number,
    private readonly mayBeLeft: boolean,
    readonly idempotencyKey: string,
  ) {
    super(plan, self, args, 'rejection', startMs);
  }

  /** Its callers have signals and outer calls; it has none. */
  override begin(): void {
    this.beginAlone(this.mayBeLeft);
  }

  override get callId(): string {
    return this.kept?.callId ?? this.knownAs ?? super.callId;
  }

  override get knownId(): string | undefined {
    return this.knownAs ?? super.knownId;
  }

  /** Its account, from which on that is what it is called by. */
  get keptAccount(): KeptAccount {
    return (this.kept ??= new KeptAccount(this));
  }

  /** Of one that has succeeded: the value came from a fallback. */
  get usedFallback(): boolean {
    return !this.attemptSucceeded;
  }

  get hasNoValue(): boolean {
    return this.plan.observable !== undefined && isWithoutValue(this);
  }
}
