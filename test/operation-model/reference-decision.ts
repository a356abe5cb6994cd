import type { Failure } from './failures.js';
import { seconds, type Json } from './reference-account.js';
import type { ReferenceAttempt } from './reference-attempt.js';
import type { ReferenceCall } from './reference-call.js';
import { Tie } from './reference-world.js';
import { matches } from './reference-tags.js';
import { delayMsOf, type Plan } from './scenario.js';

/** What the retry and the rate-limit policy say about one failure, whatever else stands in the way. */
export interface Judgement {
  /** What the attempt failed with: another failure, where the extractor failed. */
  readonly failure: Failure;
  readonly retryable: boolean;
  readonly delayMs: number;
  readonly isHint: boolean;
  /** A wait that a rate limit asked for and that would have been too long. */
  readonly refusedDelayMs: number | undefined;
  readonly metadata: Json;
}

export function judge(plan: Plan, failure: Failure, attempt: number): Judgement {
  const { rateLimit } = plan;
  const isLimit = rateLimit !== undefined && rateLimit.on.includes(failure.tag);
  const hint = isLimit && rateLimit.extracts ? (failure.hint ?? 'none') : 'none';
  if (hint === 'nonsense' || hint === 'throws') {
    const extraction: Failure = {
      tag: 'extraction',
      label: `extraction(${failure.label})`,
      type: 'RetryAfterExtractionError',
    };
    return judged(extraction, false, false, 0, 'none', undefined);
  }
  const mayRepeat =
    plan.retries > 0 &&
    failure.tag !== 'final' &&
    (plan.idempotent || (failure.tag !== 'timeout' && failure.tag !== 'deadline'));
  const delayMs = hint === 'none' ? delayMsOf(plan.backoff, attempt) : hint;
  if (!isLimit)
    return judged(
      failure,
      mayRepeat && matches(plan.retryOn, failure.tag),
      false,
      delayMs,
      'none',
      undefined,
    );
  const isTooLong = mayRepeat && delayMs > rateLimit.maxWaitMs;
  return judged(failure, mayRepeat && !isTooLong, true, delayMs, hint, isTooLong ? delayMs : undefined);
}

function judged(
  failure: Failure,
  retryable: boolean,
  isLimit: boolean,
  delayMs: number,
  hint: number | 'none',
  refusedDelayMs: number | undefined,
): Judgement {
  const isHint = hint !== 'none';
  return {
    failure,
    retryable,
    delayMs,
    isHint,
    refusedDelayMs,
    metadata: {
      rate_limited: isLimit,
      rate_limit_retry_after_seconds: isHint ? seconds(hint) : null,
      rate_limit_delay_seconds: retryable ? seconds(delayMs) : null,
      rate_limit_delay_source: retryable ? (isHint ? 'provider' : 'backoff') : null,
      rate_limit_wait_exceeded: refusedDelayMs !== undefined,
    },
  };
}

/** How long the call waits for its next attempt; `undefined` where there is none. It tells of the wait. */
export function decide(call: ReferenceCall, attempt: ReferenceAttempt): number | undefined {
  const { plan, world, account } = call;
  const { record, judgement, retryAfterMs } = attempt;
  if (judgement === undefined || !judgement.retryable || record.number > plan.retries) return undefined;
  let waitMs = judgement.delayMs;
  const { skipsWait } = call;
  call.skipsWait = false;
  if (retryAfterMs !== undefined) {
    // It was refused: only a wait that outlasts the recovery is worth it, and none after a try that was made for this.
    if (skipsWait || retryAfterMs === null || retryAfterMs > waitMs) return undefined;
  } else if (plan.usesBreaker) {
    if (world.limit.handedOnAtMs === world.nowMs) throw new Tie('who comes first to the breaker');
    const refusal = world.breaker.refusal();
    // The next attempt would be refused after the wait, too: it is refused at once. Of a probe nobody knows.
    if (refusal !== undefined && (refusal.retryAfterSeconds ?? 0) * 1_000 > waitMs) {
      waitMs = 0;
      call.skipsWait = true;
    }
  }
  if (world.nowMs + waitMs >= call.deadlineAtMs) {
    account.facts['deadline_exhausted'] = true;
    return undefined;
  }
  call.tell('retry.scheduled', {
    attempt_number: record.number,
    next_attempt_number: record.number + 1,
    delay_seconds: seconds(waitMs),
    delay_source: record.delay['rate_limit_delay_source'],
    rate_limited: record.delay['rate_limited'],
    retry_after_seconds: record.delay['rate_limit_retry_after_seconds'],
  });
  return waitMs;
}
