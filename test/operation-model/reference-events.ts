import type { Failure } from './failures.js';
import { REASON, seconds, VALIDATOR, type Attempt } from './reference-account.js';
import type { ReferenceCall } from './reference-call.js';
import type { Judgement } from './reference-decision.js';

/** What sinks are told of one attempt. */
export class ReferenceEvents {
  constructor(
    private readonly call: ReferenceCall,
    private readonly number: number,
    private readonly record: Attempt,
  ) {}

  started(): void {
    const { plan } = this.call;
    this.call.tell('attempt.started', { attempt_number: this.number, max_attempts: plan.retries + 1 });
  }

  ended(type: string, more: object = {}): void {
    const { record, call } = this;
    call.tell(type, {
      attempt_number: this.number,
      duration_seconds: seconds(record.endMs - record.startMs),
      ...call.account.metadataOf(record),
      ...more,
    });
  }

  rejected(): void {
    this.call.tell('validation.failed', {
      attempt_number: this.number,
      validator_name: VALIDATOR,
      reason: REASON,
      ...(this.record.fallback && { fallback_used: true }),
    });
  }

  rateLimit(met: Failure, judgement: Judgement): void {
    const { call } = this;
    const { plan } = call;
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
  }

  changes(changes: readonly string[]): void {
    const { call } = this;
    for (const change of changes) {
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

  waited(waitedMs: number): void {
    this.call.tell('concurrency_limit.waited', {
      attempt_number: this.number,
      limit_name: 'limit',
      waited_seconds: seconds(waitedMs),
    });
  }

  refused(): void {
    const refusal = this.call.world.breaker.refusal();
    this.call.tell('circuit_breaker.rejected', {
      attempt_number: this.number,
      breaker_name: 'breaker',
      state: refusal?.state,
      reason: refusal?.reason,
      retry_after_seconds: refusal?.retryAfterSeconds,
    });
  }

  full({ label }: Failure): void {
    this.call.tell('concurrency_limit.rejected', {
      attempt_number: this.number,
      limit_name: 'limit',
      reason: label.slice('full('.length, -1),
    });
  }
}
