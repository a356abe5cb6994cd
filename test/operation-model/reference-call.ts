import { chainLabel, scriptedFailure, type Failure } from './failures.js';
import { Account, type Attempt } from './reference-account.js';
import { ReferenceAttempt } from './reference-attempt.js';
import { decide } from './reference-decision.js';
import { CANCELLED, Ending } from './reference-ends.js';
import { matches } from './reference-tags.js';
import { Tie, type Process, type ReferenceWorld, type Waits } from './reference-world.js';
import { stepAt, type PlannedCall, type Step } from './scenario.js';

/** How a call must end. */
export type Outcome =
  | { readonly end: 'value'; readonly label: string }
  /** The result form's failure with this cause; a decorated method throws the cause itself. */
  | { readonly end: 'failure'; readonly label: string }
  /** Something that reaches every caller as it is. */
  | { readonly end: 'as it is'; readonly label: string };

/**
 * One call, as the contract tells it, from top to bottom. Whatever ends it at once is thrown into it where it stands.
 */
export class ReferenceCall {
  readonly account: Account;
  outcome: Outcome | undefined;
  deadlineAtMs = Infinity;
  /** The last failure that was no refusal of the breaker: the cause of the next refusal. */
  lastReal: Failure | undefined;
  lastFailure: Failure | undefined;
  /** The next attempt is made without a wait, only to be refused. */
  skipsWait = false;
  private process: Process | undefined;
  private isAborted = false;

  constructor(
    readonly world: ReferenceWorld,
    readonly index: number,
    readonly planned: PlannedCall,
  ) {
    this.account = new Account(planned.plan);
  }

  get plan() {
    return this.planned.plan;
  }

  get hasSignal(): boolean {
    return this.plan.signal !== 'none';
  }

  start(): void {
    const { world, plan } = this;
    this.account.startMs = world.nowMs;
    this.deadlineAtMs = world.nowMs + (plan.deadlineMs ?? Infinity);
    this.process = world.begin(this.live(), plan.usesBreaker || plan.usesLimit);
    world.resume(this.process);
  }

  /** The caller's signal aborts. */
  abort(): void {
    if (!this.hasSignal || this.isAborted) return;
    this.isAborted = true;
    if (this.process !== undefined && !this.isActive) this.world.resume(this.process, CANCELLED);
  }

  /** It stands in its own synchronous part, and looks for itself whether it was aborted. */
  private isActive = false;

  /** What the callee or a sink does to its own caller. */
  abortFromWithin(): void {
    this.isActive = true;
    this.abort();
    this.isActive = false;
    this.heed();
  }

  heed(): void {
    if (this.isAborted) throw CANCELLED;
  }

  tell(type: string, payload: object): void {
    const { events } = this.account;
    const { sink } = this.plan;
    events.push({ type, atMs: this.world.nowMs, payload: { ...payload } });
    if (sink === undefined || sink.at !== events.length - 1) return;
    if (sink.act === 'aborts') return this.abortFromWithin();
    if (!this.account.isRunning) this.account.facts['failed_outside_attempt'] = true;
    throw new Ending({ tag: 'plain', label: this.nameOf('sink'), type: 'Error' });
  }

  /** It waits no longer for a place. */
  goOn(): void {
    this.world.resume(this.process as Process);
  }

  get reason(): Failure {
    return { tag: 'plain', label: this.nameOf('reason'), type: 'Error' };
  }

  nameOf(what: string): string {
    return `c${this.index}.${what}`;
  }

  /** The callee or a stand-in is called: what becomes of it, and until when it must be waited for. */
  *answer(step: Step, label: string, cutAtMs: number): Generator<number, Failure | string | undefined, void> {
    const { world } = this;
    if (step.abortsAfterMs === 0) this.abortFromWithin();
    else if (step.abortsAfterMs !== undefined && this.process !== undefined)
      world.at(world.nowMs + step.abortsAfterMs, this.process, () => this.abort());
    const endMs = step.end === 'hang' ? Infinity : world.nowMs + step.afterMs;
    if (endMs === cutAtMs && endMs !== Infinity) throw new Tie('an answer at its limit');
    if (endMs > world.nowMs) yield Math.min(endMs, cutAtMs);
    if (cutAtMs < endMs) return undefined;
    if (step.end === 'good' || step.end === 'bad' || step.end === 'poison') return label;
    return scriptedFailure(step.end as never, label, step.hint);
  }

  private *live(): Waits {
    const { account, world } = this;
    try {
      this.heed();
      this.tell('operation.started', this.features());
      yield* this.primaryPath();
    } catch (thrown) {
      if (thrown !== CANCELLED && !(thrown instanceof Ending)) throw thrown;
      const { label } = thrown instanceof Ending ? thrown.failure : this.reason;
      account.status = thrown instanceof Ending ? 'failed' : 'cancelled';
      // A caller who leaves after the latest attempt has ended may stop what is left of that, or not.
      const last = account.attempts.at(-1)?.number;
      if (thrown === CANCELLED)
        for (const called of account.called)
          if (called.number === last && called.signal === 'quiet') called.signal = 'any';
      this.outcome = { end: 'as it is', label };
    }
    account.endMs = world.nowMs;
  }

  private features(): object {
    const { plan } = this;
    return {
      retry_enabled: plan.retries > 0,
      timeout_enabled: plan.timeoutMs !== undefined,
      fallback_enabled: plan.fallbacks !== undefined,
      circuit_breaker_enabled: plan.usesBreaker,
      validation_enabled: plan.validation !== undefined,
      rate_limit_enabled: plan.rateLimit !== undefined,
    };
  }

  private *primaryPath(): Waits {
    const { planned, world, account } = this;
    for (let number = 1; ; number += 1) {
      const attempt = new ReferenceAttempt(this, number, stepAt(planned.steps, account.called.length));
      const value = yield* attempt.live();
      if (value !== undefined) return this.succeed(value);
      const failure = attempt.record.failure as Failure;
      const waitMs = decide(this, attempt);
      if (waitMs === undefined) return yield* this.fallBack(failure, attempt.record);
      const fromMs = world.nowMs;
      try {
        if (waitMs > 0) yield world.nowMs + waitMs;
      } finally {
        attempt.record.waitedMs = world.nowMs - fromMs;
        if (attempt.record.delay['rate_limited'] === true) account.rateLimitWaitMs += attempt.record.waitedMs;
      }
    }
  }

  private *fallBack(failure: Failure, last: Attempt): Waits {
    const { fallbacks } = this.plan;
    if (fallbacks === undefined || !matches(fallbacks.on, failure.tag)) {
      return this.fail(failure, last.status === 'timed_out' ? 'timed_out' : 'failed');
    }
    const attempt = new ReferenceAttempt(this, last.number + 1, undefined);
    const { record } = attempt;
    this.tell('fallback.started', {
      attempt_number: record.number,
      after_primary_attempts: last.number,
    });
    this.account.open(record, this.world.nowMs);
    const failures: Failure[] = [];
    for (const [index, step] of fallbacks.candidates.entries()) {
      const found = yield* attempt.standIn(step, index, failure);
      if (typeof found === 'string') {
        record.chain = {
          fallback_failed: false,
          fallback_candidate_name: fallbacks.simple ? 'standIn' : `s${index}`,
          fallback_candidate_index: index,
          fallback_failure_count: failures.length,
        };
        attempt.endFallback('fallback.succeeded', undefined);
        return this.succeed(found);
      }
      if (!matches(fallbacks.on, found.tag)) {
        record.chain = { fallback_failed: true, fallback_failure_count: 0 };
        attempt.endFallback('fallback.failed', found);
        return this.fail(found, 'failed');
      }
      failures.push(found);
    }
    record.chain = { fallback_failed: true, fallback_failure_count: failures.length };
    const labels = failures.map(({ label }) => label);
    const chain: Failure = {
      tag: 'chain',
      label: chainLabel(labels, failure.label, labels.at(-1) ?? ''),
      type: 'FallbackChainError',
    };
    attempt.endFallback('fallback.failed', chain);
    // A decorated method with one stand-in gives the error of that.
    this.fail(chain, 'failed', fallbacks.simple ? labels[0] : undefined);
  }

  private succeed(label: string): void {
    this.account.status = 'succeeded';
    this.tellEnd('operation.succeeded', {});
    this.outcome = { end: 'value', label };
  }

  private fail(failure: Failure, status: 'failed' | 'timed_out', own = failure.label): void {
    this.account.status = status;
    this.tellEnd('operation.failed', { error_type: failure.type });
    const { door, signal } = this.plan;
    const isDecorated = door === 'decorator';
    const end = isDecorated && signal !== 'run' ? 'as it is' : 'failure';
    this.outcome = { end, label: isDecorated ? own : failure.label };
  }

  private tellEnd(type: string, more: object): void {
    const { account, world } = this;
    this.tell(type, {
      duration_seconds: (world.nowMs - account.startMs) / 1_000,
      attempt_count: account.attempts.length,
      retry_count: account.retries,
      ...more,
      ...account.metadata,
    });
  }
}
