import type { AttemptOwner, AttemptView } from '../attempt/attempt-view.js';
import { MisuseError } from '../errors/misuse-error.js';
import type { EventEmitter } from '../events/event-emitter.js';
import { isTelling } from '../events/telling.js';
import type { CircuitBreaker } from '../policies/circuit-breaker/circuit-breaker.js';
import type { CircuitBreakerOpenError } from '../policies/circuit-breaker/circuit-breaker-open-error.js';
import type { CircuitBreakerTransition, Permit } from '../policies/circuit-breaker/circuit-breaker-state.js';
import type { ValidationResult } from '../policies/validation/validation-result.js';
import type { ExecutionReport, ExecutionStatus } from '../report/execution-report.js';
import type { Reported } from '../report/report-of.js';
import type { Clock } from '../time/clock.js';
import type { Deadline } from '../time/deadline-queue.js';
import { buildReport } from './account.js';
import type { AttemptRecord } from './attempt-record.js';
import { recordSuccess } from './breaker-records.js';
import type { CallForm } from './call-form.js';
import { CallScope, type CallDetails } from './call-scope.js';
import { nextSequence } from './call-sequence.js';
import type { Guard } from './guard.js';
import { guardFor } from './guards.js';
import { CUT } from './interruptible.js';
import { defersLimit } from './local-stall.js';
import { succeedGuarded } from './guarded-attempt.js';
import { makeView } from './make-view.js';
import type { Plan } from './plan.js';
import { Trouble } from './trouble.js';

/**
 * One call of an operation: its state while it runs and its account when it has ended, in one object. It knows how to
 * begin and end its attempts; what happens in which order is in `execution.ts`.
 */
export class Call extends CallScope implements AttemptOwner, Reported {
  readonly sequence: number;
  emitters: readonly EventEmitter[] | undefined;
  endMs = 0;
  status: ExecutionStatus | undefined = undefined;

  attemptNumber = 0;
  /** Something has been started, or refused, in this attempt, and the attempt is not noted yet. */
  attemptOpen = false;
  /** The latest attempt was a primary one and succeeded. */
  attemptSucceeded = false;
  breaker: CircuitBreaker | undefined = undefined;
  permit: Permit | undefined = undefined;
  /** What it knows of its shield and its concurrency limit. */
  readonly guard: Guard | undefined;
  validation: ValidationResult | undefined = undefined;
  trouble: Trouble | undefined = undefined;

  /** When the running attempt began, where that is not when the call began. */
  private laterStartMs: number | undefined = undefined;
  protected details: CallDetails | undefined = undefined;

  constructor(
    plan: Plan,
    self: unknown,
    args: readonly unknown[],
    readonly form: CallForm,
    startMs?: number,
  ) {
    super(plan, self, args, startMs);
    this.sequence = nextSequence();
    this.guard = plan.guards === undefined ? undefined : guardFor(plan.guards, self);
    // A sink that is itself an operation must not make events about telling events.
    this.emitters = plan.emitters === undefined || isTelling() ? undefined : plan.emitters;
  }

  get operationName(): string {
    return this.plan.name;
  }

  get clock(): Clock {
    return this.plan.host.clock;
  }

  /** @throws {MisuseError} while the call still runs: an account is of what happened. */
  get report(): ExecutionReport {
    if (this.status === undefined)
      throw new MisuseError(`${this.plan.name}: the call has not ended yet, so there is no report`);
    return this.accountBy(() => buildReport(this));
  }

  /** How long each attempt may take; with a shield, the running one. */
  get timeoutMs(): number {
    return this.guard?.timeouts === undefined ? this.plan.timeoutMs : this.guard.timeoutMs;
  }

  get attemptStartMs(): number {
    return this.laterStartMs ?? this.startMs;
  }

  /** Where this call notes what goes wrong. */
  troubled(): Trouble {
    return (this.trouble ??= new Trouble());
  }

  /** A new attempt knows nothing of the one before, and what that one started is on its own now. */
  openAttempt(): void {
    this.attemptNumber += 1;
    if (this.attemptNumber === 1) return;
    this.forgetAttempt();
    this.validation = undefined;
    this.attemptExpired = false;
    this.guard?.openAttempt();
    const trouble = this.troubled();
    trouble.refusal = trouble.ownTimeout = trouble.moved = undefined;
    trouble.stallMs = 0;
    this.restartClock();
  }

  /** From here on something runs in this attempt. Gives the refusal of the breaker. @throws {@link CUT} when no time is left. */
  startAttempt(): CircuitBreakerOpenError | undefined {
    this.phase = 'attempt';
    this.attemptOpen = true;
    if (this.emitters !== undefined) this.restartClock();
    if (this.trouble?.refusal !== undefined) return this.trouble.refusal;
    // Only sinks can have used up the time: a wait that would leave none is not begun.
    if (this.plan.deadlines !== undefined && this.attemptStartMs >= this.deadlineDueMs) throw CUT;
    if (this.guard !== undefined) this.guard.holdsTurn = false;
    return undefined;
  }

  /** The attempt has succeeded; gives the breaker's change of state, if that made one. */
  succeedAttempt(value: unknown): CircuitBreakerTransition | undefined {
    this.endMs = this.clock.monotonicMs();
    this.attemptOpen = false;
    this.attemptSucceeded = true;
    this.plan.probe?.succeed?.(this);
    if (this.guard !== undefined) succeedGuarded(this, this.guard, value);
    return recordSuccess(this, value);
  }

  /** Notes an ended attempt that was no primary success. */
  note(record: AttemptRecord): void {
    this.troubled().log.add(record);
    this.attemptOpen = false;
    this.endMs = record.endMs;
    this.plan.probe?.note?.(this, record);
  }

  defersTimeout(stallMs: number): boolean {
    return defersLimit(this, this, this.attemptStartMs, this.timeoutMs, stallMs);
  }

  defersDeadline(deadline: Deadline, stallMs: number): boolean {
    return defersLimit(this, deadline, this.startMs, this.plan.deadlineMs, stallMs);
  }

  override release(): void {
    super.release();
    this.breaker = this.emitters = undefined;
    this.guard?.release();
    this.forgetAttempt();
    this.trouble?.forgetErrors();
  }

  protected override makeView(): AttemptView {
    return makeView(this);
  }

  /** The running attempt begins now. */
  restartClock(): void {
    this.laterStartMs = this.clock.monotonicMs();
  }
}
