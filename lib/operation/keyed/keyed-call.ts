import { maskedKey } from '../../policies/idempotency/digest.js';
import type { ExecutionReport } from '../../report/execution-report.js';
import type { IdempotencyMetadata } from '../../report/metadata.js';
import type { Reported } from '../../report/report-of.js';
import { msToSeconds } from '../../time/duration.js';
import { OperationTimeoutError } from '../../policies/timeout/operation-timeout-error.js';
import { Call } from '../call.js';
import type { Execution } from './execution.js';
import type { KeyedPlan, KeySpace } from './keyed-plan.js';

/** What a call learns of the execution whose outcome it was given. */
export interface ExecutionAccount {
  readonly source: Reported;
  /** False where the outcome could not be kept, though it should have been. */
  readonly kept: boolean;
  /** False where it ran although the store could not be asked. */
  readonly isProtected: boolean;
}

/**
 * A call of an operation with a key, as its caller sees it: it executes, waits for somebody else who does, or is given
 * what came of an earlier execution. Its report is that of the execution, with what the key did for this call.
 */
export class KeyedCall extends Call {
  /** The key as the store knows it; blank until it is found. */
  key = '';
  fingerprint: string | undefined = undefined;
  role: 'executed' | 'joined' | 'replayed' | undefined = undefined;
  /** What runs for it, where it is the one that executes. */
  execution: Execution | undefined = undefined;
  /** What it was called before anything ran for it. */
  earlyId: string | undefined = undefined;
  withoutValue = false;
  /** It had to wait before anything ran for it. */
  hasWaited = false;
  /** Calls that were told the failure of this one, as they waited for it. */
  sharers: KeyedCall[] | undefined = undefined;
  /** Its deadline, where that came while it waited. */
  missedDeadline: OperationTimeoutError | undefined = undefined;
  private ownKey: string | undefined = undefined;
  private exposesKey = false;
  private space: KeySpace | undefined = undefined;
  private origin: Reported | undefined = undefined;
  private isKept = true;
  private isProtected = true;
  private annotated: ExecutionReport | undefined = undefined;

  /** Its plan about keys, while it runs. */
  get keyed(): KeyedPlan {
    return this.plan.keyed as KeyedPlan;
  }

  get keySpace(): KeySpace {
    return this.space as KeySpace;
  }

  /** Its caller may leave while it executes. */
  get mayLeave(): boolean {
    return this.isTied || this.plan.observable !== undefined;
  }

  /** The key as its caller gave it. */
  get givenKey(): string {
    return this.ownKey ?? '';
  }

  /** How its key is shown. */
  get shownKey(): string {
    return this.exposesKey ? this.givenKey : maskedKey(this.givenKey);
  }

  override get callId(): string {
    return this.execution?.callId ?? (this.earlyId ??= super.callId);
  }

  override get report(): ExecutionReport {
    return (this.annotated ??= (this.origin?.report ?? super.report).with(this.metadata()));
  }

  /**
   * Finds the key.
   * @throws {MisuseError} for one that is none; what the function that finds it throws.
   */
  identify(): void {
    const { policy, scope, spaceFor } = this.keyed;
    this.exposesKey = policy.exposeKey;
    this.ownKey = policy.keyFor(this.self, this.args);
    this.key = scope + this.ownKey;
    this.fingerprint = policy.fingerprintFor(this.self, this.args);
    this.space = spaceFor(this.self);
  }

  /** From here on its account is that of an execution. */
  accountOf({ source, kept, isProtected }: ExecutionAccount): void {
    this.origin = source;
    this.isKept = kept;
    this.isProtected = isProtected;
  }

  /** Another call is told the failure of this one. */
  shareWith(call: KeyedCall): void {
    (this.sharers ??= []).push(call);
  }

  /** Its deadline has come while it waited. */
  missDeadline(): OperationTimeoutError {
    return (this.missedDeadline = new OperationTimeoutError(msToSeconds(this.plan.deadlineMs), 'deadline', {
      outcomeUnknown: this.role === 'joined',
    }));
  }

  override release(): void {
    super.release();
    this.space = undefined;
  }

  private metadata(): IdempotencyMetadata {
    const { role } = this;
    return {
      idempotency_enabled: true,
      idempotency_key: this.ownKey === undefined ? null : this.shownKey,
      idempotency_status: role ?? null,
      idempotency_cache_hit: role === 'joined' || role === 'replayed',
      ...(!this.isKept && { idempotency_kept: false as const }),
      ...(!this.isProtected && { idempotency_protected: false as const }),
    };
  }
}
