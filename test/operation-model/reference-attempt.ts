import type { Outcome as Recorded } from '../circuit-breaker/reference-breaker.js';
import { refusalLabel, timeoutLabel, type Failure } from './failures.js';
import {
  ACCEPTED,
  REASON,
  REJECTED,
  seconds,
  UNCHECKED,
  VALIDATOR,
  type Attempt,
} from './reference-account.js';
import type { ReferenceCall } from './reference-call.js';
import { judge, type Judgement } from './reference-decision.js';
import { Ending } from './reference-ends.js';
import { Tie } from './reference-world.js';
import type { Step } from './scenario.js';

let permits = 0;

/** A failure of one attempt, and what the breaker makes of it. */
interface Lost {
  readonly failure: Failure;
  readonly recorded: Recorded;
}

/** One try: from the breaker's door to the event that says how it ended. */
export class ReferenceAttempt {
  readonly record: Attempt;
  judgement: Judgement | undefined;
  /** The breaker's refusal that it met. */
  retryAfterMs: number | null | undefined;
  private hasPlace = false;
  /** What it did to the breaker, and nobody was told of yet. */
  private readonly changes: string[] = [];
  private permit: number | undefined;

  constructor(
    private readonly call: ReferenceCall,
    private readonly number: number,
    private readonly step: Step | undefined,
  ) {
    this.record = call.account.prepare(number, step === undefined);
  }

  /** The label of its value, unless it failed; then its record says with what. */
  *live(): Generator<number, string | undefined, void> {
    try {
      const found = yield* this.attempt();
      if (typeof found === 'string') {
        this.end('succeeded', undefined);
        this.call.account.noteOutcome('');
        this.settle('success');
        this.tellChanges();
        this.tell('attempt.succeeded');
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
    const refused = this.refusal();
    if (refused !== undefined) {
      this.begin();
      return refused;
    }
    if (plan.usesLimit) {
      const full = yield* this.standInLine();
      if (full !== undefined) return full;
    }
    const refusedLater = this.admit();
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
      if (verdict?.tag === 'invalid') this.tellRejected();
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
    this.tell(type, failure && { error_type: failure.type });
    if (failure === undefined) this.tell('attempt.succeeded');
    else this.tell('attempt.failed', { error_type: failure.type, retryable: false });
    record.retryable = false;
  }

  /** From here on it is in the report. */
  private begin(): void {
    this.tellStart();
    this.call.account.open(this.record, this.call.world.nowMs);
  }

  private tellStart(): void {
    const { plan } = this.call;
    this.call.tell('attempt.started', { attempt_number: this.number, max_attempts: plan.retries + 1 });
  }

  private tell(type: string, more: object = {}): void {
    const { record, call } = this;
    call.tell(type, {
      attempt_number: this.number,
      duration_seconds: seconds(record.endMs - record.startMs),
      ...call.account.metadataOf(record),
      ...more,
    });
  }

  private tellRejected(): void {
    this.call.tell('validation.failed', {
      attempt_number: this.number,
      validator_name: VALIDATOR,
      reason: REASON,
      ...(this.record.fallback && { fallback_used: true }),
    });
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

  /** What the breaker says before anybody stands in line for a place. */
  private refusal(): Lost | undefined {
    const { plan, world, lastReal } = this.call;
    const refusal = plan.usesBreaker ? world.breaker.refusal() : undefined;
    if (refusal === undefined) return undefined;
    const { state, reason, retryAfterSeconds } = refusal;
    this.retryAfterMs = retryAfterSeconds === null ? null : Math.round(retryAfterSeconds * 1e6) / 1e3;
    this.record.refusedFor = reason;
    const label = refusalLabel(state, reason, this.retryAfterMs, lastReal?.label);
    return { failure: { tag: 'refused', label, type: 'CircuitBreakerOpenError' }, recorded: 'ignored' };
  }

  private admit(): Lost | undefined {
    const { plan, world } = this.call;
    if (!plan.usesBreaker) return undefined;
    const refused = this.refusal();
    if (refused !== undefined) return refused;
    this.permit = permits += 1;
    world.breaker.call(this.permit, plan.timeoutMs);
    this.noteChanges();
    this.tellChanges();
    return undefined;
  }

  private *standInLine(): Generator<number, Lost | undefined, void> {
    const { call, record } = this;
    const { world } = call;
    const { limit } = world;
    if (limit.handedOnAtMs === world.nowMs) throw new Tie('who is first in line');
    if (!limit.isFull) {
      limit.running += 1;
      this.hasPlace = true;
      return undefined;
    }
    if (!limit.hasRoomToWait) return this.full('queue_full');
    const sinceMs = world.nowMs;
    const untilMs = sinceMs + (world.scenario.limit.maxWaitMs ?? Infinity);
    const let_in = (): void => {
      this.hasPlace = true;
      call.goOn();
    };
    limit.line.push(let_in);
    if (untilMs === call.deadlineAtMs && untilMs !== Infinity) throw new Tie('two limits of one wait');
    try {
      yield Math.min(untilMs, call.deadlineAtMs);
    } finally {
      const waitedMs = world.nowMs - sinceMs;
      record.admission = { ...record.admission, admission_waited_seconds: seconds(waitedMs) };
      call.account.admissionWaitMs += waitedMs;
      const place = limit.line.indexOf(let_in);
      if (place >= 0) limit.line.splice(place, 1);
    }
    if (!this.hasPlace) {
      if (world.nowMs < call.deadlineAtMs) return this.full('waited_too_long');
      return this.timeOut(true, false, 'ignored');
    }
    call.tell('concurrency_limit.waited', {
      attempt_number: this.number,
      limit_name: 'limit',
      waited_seconds: seconds(world.nowMs - sinceMs),
    });
    return undefined;
  }

  private full(reason: 'queue_full' | 'waited_too_long'): Lost {
    this.call.world.limit.refused += 1;
    this.record.admission = { ...this.record.admission, admission_refused: true };
    return {
      failure: { tag: 'full', label: `full(${reason})`, type: 'ConcurrencyLimitError' },
      recorded: 'ignored',
    };
  }

  /** Gives back what it holds, and the breaker learns how it went. */
  private settle(recorded: Recorded): void {
    const { world } = this.call;
    if (this.permit !== undefined) world.breaker.settle(this.permit, recorded);
    this.permit = undefined;
    // Before the next one in line comes in, who may change it, too.
    this.noteChanges();
    this.leave();
  }

  private leave(): void {
    if (!this.hasPlace) return;
    this.hasPlace = false;
    this.call.world.limit.leave(this.call.world.nowMs);
  }

  private noteChanges(): void {
    const { world } = this.call;
    const changes = world.breaker.changes.splice(0);
    world.changes.push(...changes);
    this.changes.push(...changes);
  }

  private tellChanges(): void {
    const { call } = this;
    for (const change of this.changes.splice(0)) {
      const [, from, to, by, failures] = /^(\w+) to (\w+) by call, (\w+), (\d+) failures/.exec(change) ?? [];
      call.tell(`circuit_breaker.${to === 'closed' ? 'closed' : `${String(to)}ed`}`, {
        breaker_name: 'breaker',
        from_state: from,
        to_state: to,
        failure_count: Number(failures),
        ...(to === 'open' && { opened_by: by }),
      });
    }
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
    this.settle(recorded);
    if (met.tag !== 'refused' && met.tag !== 'full') call.lastReal = failure;
    call.lastFailure = failure;
    call.account.noteOutcome(met.tag === 'timeout' || met.tag === 'deadline' ? met.label : '');
    this.end(met.tag === 'timeout' || met.tag === 'deadline' ? 'timed_out' : 'failed', failure);
    if (judgement.metadata['rate_limited'] === true) call.account.rateLimited = true;
    if (isNotStarted) this.tellStart();
    if (judgement.metadata['rate_limited'] === true)
      call.tell('rate_limit.detected', {
        attempt_number: this.number,
        error_type: met.type,
        retry_after_seconds: judgement.metadata['rate_limit_retry_after_seconds'],
        max_wait_seconds: seconds(plan.rateLimit?.maxWaitMs ?? NaN),
        max_wait_exceeded: judgement.metadata['rate_limit_wait_exceeded'],
      });
    if (judgement.refusedDelayMs !== undefined)
      call.tell('rate_limit.wait_exceeded', {
        attempt_number: this.number,
        retry_after_seconds: judgement.metadata['rate_limit_retry_after_seconds'],
        delay_seconds: seconds(judgement.refusedDelayMs),
        max_wait_seconds: seconds(plan.rateLimit?.maxWaitMs ?? NaN),
      });
    if (met.tag === 'invalid') this.tellRejected();
    if (met.tag === 'refused') this.tellRefused();
    if (met.tag === 'full') this.tellFull(met);
    this.tellChanges();
    this.tell('attempt.failed', { error_type: failure.type, retryable: judgement.retryable });
  }

  private tellRefused(): void {
    const refusal = this.call.world.breaker.refusal();
    this.call.tell('circuit_breaker.rejected', {
      attempt_number: this.number,
      breaker_name: 'breaker',
      state: refusal?.state,
      reason: refusal?.reason,
      retry_after_seconds: refusal?.retryAfterSeconds,
    });
  }

  private tellFull({ label }: Failure): void {
    this.call.tell('concurrency_limit.rejected', {
      attempt_number: this.number,
      limit_name: 'limit',
      reason: label.slice('full('.length, -1),
    });
  }

  /** The call ends while this attempt runs, or as it ends. */
  private dropOut(thrown: unknown): void {
    if (this.permit !== undefined) this.call.world.breaker.settle(this.permit, 'cancelled');
    this.permit = undefined;
    this.leave();
    if (this.record.status !== 'running') return;
    if (thrown instanceof Ending) this.end('failed', thrown.failure);
    else {
      this.end('cancelled', this.call.reason);
      this.abandon(this.call.reason);
    }
  }
}
