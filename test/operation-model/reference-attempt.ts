import type { Outcome as Recorded } from '../circuit-breaker/reference-breaker.js';
import { timeoutLabel, type Failure } from './failures.js';
import { ACCEPTED, REASON, REJECTED, UNCHECKED, VALIDATOR, type Attempt } from './reference-account.js';
import { ReferenceAdmission, type Lost } from './reference-admission.js';
import type { ReferenceCall } from './reference-call.js';
import { judge, type Judgement } from './reference-decision.js';
import { Ending } from './reference-ends.js';
import { ReferenceEvents } from './reference-events.js';
import { Tie } from './reference-world.js';
import type { Step } from './scenario.js';

/** One try: from the breaker's door to the event that says how it ended. */
export class ReferenceAttempt {
  readonly record: Attempt;
  judgement: Judgement | undefined;
  private readonly events: ReferenceEvents;
  private readonly admission: ReferenceAdmission;

  constructor(
    private readonly call: ReferenceCall,
    private readonly number: number,
    private readonly step: Step | undefined,
  ) {
    this.record = call.account.prepare(number, step === undefined);
    this.events = new ReferenceEvents(call, number, this.record);
    this.admission = new ReferenceAdmission(call, this.record, this.events);
  }

  /** The breaker's refusal that it met. */
  get retryAfterMs(): number | null | undefined {
    return this.admission.retryAfterMs;
  }

  /** The label of its value, unless it failed; then its record says with what. */
  *live(): Generator<number, string | undefined, void> {
    try {
      const found = yield* this.attempt();
      if (typeof found === 'string') {
        this.end('succeeded', undefined);
        this.call.account.noteOutcome('');
        this.admission.settle('success');
        this.admission.tellChanges();
        this.events.ended('attempt.succeeded');
        return found;
      }
      this.lose(found);
      return undefined;
    } catch (thrown) {
      this.dropOut(thrown);
      throw thrown;
    }
  }

  private *attempt(): Generator<number, string | Lost, void> {
    const { call, step } = this;
    const { plan, world } = call;
    const refused = this.admission.refusal();
    if (refused !== undefined) {
      this.begin();
      return refused;
    }
    if (plan.usesLimit) {
      const full = yield* this.admission.standInLine();
      if (full === 'late') return this.timeOut(true, false, 'ignored');
      if (full !== undefined) return full;
    }
    const refusedLater = this.admission.admit();
    this.begin();
    if (refusedLater !== undefined) return refusedLater;
    const timeoutAtMs = world.nowMs + (plan.timeoutMs ?? Infinity);
    const cutAtMs = Math.min(timeoutAtMs, call.deadlineAtMs);
    this.noteCall('primary', this.number, cutAtMs - world.nowMs, step as Step, call.lastFailure);
    const found = yield* call.answer(step as Step, call.nameOf(`p${this.number}`), cutAtMs);
    if (found === undefined) {
      const isDeadline = call.deadlineAtMs <= timeoutAtMs;
      return this.timeOut(isDeadline, true, timeoutAtMs <= world.nowMs ? 'failure' : 'ignored');
    }
    if (typeof found !== 'string') return this.lost(found);
    const verdict = yield* this.validate(step as Step, found, call.deadlineAtMs);
    if (verdict === 'cut') return this.timeOut(true, true, 'ignored');
    return verdict === undefined ? found : this.lost(verdict);
  }

  /** A value is judged: by the failure that it leads to, `'cut'` by the deadline, or nothing where it is good. */
  private *validate(
    step: Step,
    label: string,
    cutAtMs: number,
  ): Generator<number, Failure | 'cut' | undefined, void> {
    const { plan, world } = this.call;
    if (plan.validation === undefined) return undefined;
    const endMs = world.nowMs + plan.validation.delayMs;
    if (endMs === cutAtMs) throw new Tie('a verdict at its limit');
    if (endMs > world.nowMs) yield Math.min(endMs, cutAtMs);
    if (cutAtMs < endMs) return 'cut';
    if (step.end === 'poison') return { tag: 'choked', label: `choked on ${label}`, type: 'EvalError' };
    const used = this.record.fallback ? { fallback_used: true } : {};
    if (step.end === 'bad') {
      this.record.validation = REJECTED;
      return { tag: 'invalid', label: `invalid(${VALIDATOR}, ${REASON})`, type: 'ValidationFailedError' };
    }
    this.record.validation = ACCEPTED;
    this.call.tell('validation.succeeded', {
      attempt_number: this.number,
      validator_name: 'validation_policy',
      ...used,
    });
    return undefined;
  }

  /** One candidate of the chain: the label of its value, or how it failed. */
  *standIn(step: Step, index: number, before: Failure): Generator<number, string | Failure, void> {
    const { call } = this;
    try {
      this.record.validation = UNCHECKED;
      this.noteCall('fallback', this.number, Infinity, step, before);
      const found = yield* call.answer(step, call.nameOf(`f${index}`), Infinity);
      if (typeof found !== 'string') {
        if (found?.tag === 'misuse') throw new Ending(found);
        return found as Failure;
      }
      const verdict = (yield* this.validate(step, found, Infinity)) as Failure | undefined;
      if (verdict?.tag === 'invalid') this.events.rejected();
      return verdict ?? found;
    } catch (thrown) {
      this.dropOut(thrown);
      throw thrown;
    }
  }

  endFallback(type: 'fallback.succeeded' | 'fallback.failed', failure: Failure | undefined): void {
    const { record } = this;
    if (failure !== undefined && failure.tag !== 'invalid') record.validation = UNCHECKED;
    this.end(failure === undefined ? 'succeeded' : 'failed', failure);
    this.events.ended(type, failure && { error_type: failure.type });
    if (failure === undefined) this.events.ended('attempt.succeeded');
    else this.events.ended('attempt.failed', { error_type: failure.type, retryable: false });
    record.retryable = false;
  }

  /** From here on it is in the report. */
  private begin(): void {
    this.events.started();
    this.call.account.open(this.record, this.call.world.nowMs);
  }

  private end(
    status: 'succeeded' | 'failed' | 'timed_out' | 'cancelled',
    failure: Failure | undefined,
  ): void {
    Object.assign(this.record, { status, failure, endMs: this.call.world.nowMs });
  }

  private noteCall(
    kind: 'primary' | 'fallback',
    number: number,
    remainingMs: number,
    { listens }: Step,
    last?: Failure,
  ): void {
    const { account, world } = this.call;
    const [lastError, signal] = [last?.label ?? 'none', listens ? 'quiet' : 'unread'];
    account.called.push({ kind, number, atMs: world.nowMs, remainingMs, lastError, signal });
  }

  /** Whatever was called in this attempt learns that nobody waits for it. */
  private abandon({ label }: Failure): void {
    for (const called of this.call.account.called)
      if (called.number === this.number && called.signal === 'quiet') called.signal = label;
  }

  private lost(failure: Failure): Lost {
    if (failure.tag === 'misuse') throw new Ending(failure);
    const { uncounted } = this.call.world.scenario;
    const counts =
      uncounted === undefined ? failure.tag !== 'foreign refusal' : !uncounted.includes(failure.tag);
    return { failure, recorded: counts ? 'failure' : 'ignored' };
  }

  private timeOut(isDeadline: boolean, isUnknown: boolean, recorded: Recorded): Lost {
    const { plan } = this.call;
    const limitMs = (isDeadline ? plan.deadlineMs : plan.timeoutMs) as number;
    const scope = isDeadline ? 'deadline' : 'attempt';
    const tag = isDeadline ? 'deadline' : 'timeout';
    const label = timeoutLabel(scope, limitMs, isUnknown);
    const failure: Failure = { tag, label, type: 'OperationTimeoutError' };
    this.abandon(failure);
    const counted = this.lost(failure);
    return recorded === 'failure' ? counted : { ...counted, recorded };
  }

  /** The failing tail: what is told, recorded and told again, in the order of the docs. */
  private lose({ failure: met, recorded }: Lost): void {
    const { call, record } = this;
    const { plan } = call;
    const judgement = judge(plan, met, this.number);
    this.judgement = judgement;
    const { failure } = judgement;
    Object.assign(record, { delay: judgement.metadata, retryable: judgement.retryable });
    const isNotStarted = Number.isNaN(record.startMs);
    if (isNotStarted) call.account.open(record, call.world.nowMs);
    this.admission.settle(recorded);
    if (met.tag !== 'refused' && met.tag !== 'full') call.lastReal = failure;
    call.lastFailure = failure;
    call.account.noteOutcome(met.tag === 'timeout' || met.tag === 'deadline' ? met.label : '');
    this.end(met.tag === 'timeout' || met.tag === 'deadline' ? 'timed_out' : 'failed', failure);
    if (judgement.metadata['rate_limited'] === true) call.account.rateLimited = true;
    if (isNotStarted) this.events.started();
    this.events.rateLimit(met, judgement);
    if (met.tag === 'invalid') this.events.rejected();
    if (met.tag === 'refused') this.events.refused();
    if (met.tag === 'full') this.events.full(met);
    this.admission.tellChanges();
    this.events.ended('attempt.failed', { error_type: failure.type, retryable: judgement.retryable });
  }

  /** The call ends while this attempt runs, or as it ends. */
  private dropOut(thrown: unknown): void {
    this.admission.drop();
    if (this.record.status !== 'running') return;
    if (thrown instanceof Ending) this.end('failed', thrown.failure);
    else {
      this.end('cancelled', this.call.reason);
      this.abandon(this.call.reason);
    }
  }
}
