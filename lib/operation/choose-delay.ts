import type { RateLimitPolicy } from '../policies/rate-limit/rate-limit-policy.js';
import type { RetryPolicy } from '../policies/retry/retry-policy.js';
import { secondsToMs } from '../time/duration.js';
import type { RateLimitNote } from './attempt-record.js';
import { isNonRetryable } from '../policies/retry/non-retryable-error.js';
import type { Call } from './call.js';
import { Interruption } from './interruption.js';
import type { ShieldDecisions } from './shielding.js';

/** Whether a failure is worth another try, and when. Attempts left, breaker and deadline are asked later. */
export interface DelayChoice {
  /** The failure of the attempt: what was met, or why that could not be judged. */
  readonly failure: unknown;
  readonly retryable: boolean;
  readonly delayMs: number | undefined;
  readonly rateLimit: RateLimitNote | undefined;
}

/** Asked after the last attempt too: what would have been waited is part of its record. */
export function chooseDelay(call: Call, met: unknown): DelayChoice {
  const { guard } = call;
  if (guard?.shield !== undefined) return judgeShielded(call, guard.shield, guard.kind === 'slow', met);
  const { retry, rateLimit } = call.plan;
  if (rateLimit !== undefined) {
    const limited = judgeRateLimit(call, rateLimit, met);
    if (limited !== undefined) return limited;
  }
  const retryable = retry !== undefined && mayRepeat(call, met) && retry.isRetryable(met);
  const delayMs = retryable ? backoffMs(call, retry) : undefined;
  return { failure: met, retryable, delayMs, rateLimit: undefined };
}

/** A shield has a retry policy of its own. */
function judgeShielded(call: Call, shield: ShieldDecisions, slow: boolean, met: unknown): DelayChoice {
  const retryable = slow && mayRepeat(call, met) && !isNonRetryable(met);
  const delayMs = retryable ? shield.delayMs(call.attemptNumber, call.plan.host.random) : undefined;
  return { failure: met, retryable, delayMs, rateLimit: undefined };
}

/** `undefined` for a failure that is no rate limit. */
function judgeRateLimit(call: Call, policy: RateLimitPolicy, met: unknown): DelayChoice | undefined {
  let hintSeconds: number | null;
  try {
    const decision = policy.evaluate(met, call.clock.wallMs());
    if (!decision.rateLimited) return undefined;
    hintSeconds = decision.retryAfterSeconds;
  } catch (error) {
    return { failure: error, retryable: false, delayMs: undefined, rateLimit: undefined };
  }
  const { retry } = call.plan;
  // The policy makes no attempts of its own, and what was marked as not to be repeated stays so.
  if (retry === undefined || retry.forbids(met) || !mayRepeat(call, met)) {
    const rateLimit = { hintSeconds, exceeded: false, delayMs: undefined };
    return { failure: met, retryable: false, delayMs: undefined, rateLimit };
  }
  const delayMs = hintSeconds === null ? backoffMs(call, retry) : secondsToMs(hintSeconds);
  const exceeded = delayMs > policy.maxWaitMs;
  const rateLimit = { hintSeconds, exceeded, delayMs };
  return { failure: met, retryable: !exceeded, delayMs: exceeded ? undefined : delayMs, rateLimit };
}

/** A try that we cut may have done its work. */
function mayRepeat(call: Call, failure: unknown): boolean {
  return call.plan.idempotent || !call.troubled().isOwnTimeout(failure);
}

function backoffMs(call: Call, retry: RetryPolicy): number {
  try {
    return retry.delayMs(call.attemptNumber, call.plan.host.random);
  } catch (error) {
    throw new Interruption(error);
  }
}
