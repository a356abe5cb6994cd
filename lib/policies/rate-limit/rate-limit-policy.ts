import {
  checkDurationOrZero,
  checkFunction,
  checkOptions,
  checkTimeOptions,
  type TimeOptions,
} from '../../errors/check.js';
import { describeValue } from '../../errors/describe-value.js';
import {
  compileFilter,
  unwrapped,
  type FailureFilter,
  type FailurePredicate,
} from '../../errors/failure-filter.js';
import { systemClock, type Clock } from '../../time/clock.js';
import { msToSeconds, secondsToMs, type Duration } from '../../time/duration.js';
import { LONGEST_HINT } from './hint-in-headers.js';
import { RateLimitDecision } from './rate-limit-decision.js';
import { RetryAfterExtractionError } from './retry-after-extraction-error.js';

/** What an extractor is told beside the failure. */
export interface RetryAfterContext {
  /** Milliseconds since 1970 on the wall clock of the call. */
  readonly nowMs: number;
}

/**
 * Finds in a failure how long the provider asks to wait, in seconds: 0 or more, or nothing where there is no hint.
 * Answers at once; a promise is an error.
 */
export type RetryAfterExtractor = (error: unknown, context: RetryAfterContext) => number | null | undefined;

/** Options of {@link RateLimitPolicy}. */
export interface RateLimitPolicyOptions extends Pick<TimeOptions, 'clock'> {
  /** Which failures say that a rate limit was met. They need not be in `retryOn`. */
  readonly rateLimitOn: FailureFilter;
  /** Finds how long the provider asks to wait. Default: no hint, so the back-off decides. */
  readonly retryAfter?: RetryAfterExtractor | undefined;
  /** No single wait after a rate limit is longer: a longer one is not begun, and never cut short. Default 60 s; may be 0. */
  readonly maxWait?: Duration | undefined;
}

/** Just below the hint that stands for "never". */
const LONGEST_WAIT_MS = secondsToMs(LONGEST_HINT) - 1;
const NOT_LIMITED = new RateLimitDecision(false);
const NO_HINT = new RateLimitDecision(true);

/** Tells failures that say "come back later" from others, and when to come back. It makes no attempts by itself. */
export class RateLimitPolicy {
  readonly maxWaitSeconds: number;
  readonly maxWaitMs: number;
  private readonly isRateLimit: FailurePredicate;
  private readonly retryAfter: RetryAfterExtractor | undefined;
  private readonly clock: Clock;

  /** @throws {ConfigurationError} for an empty filter, an extractor that is no function, or a `maxWait` below 0. */
  constructor(options: RateLimitPolicyOptions) {
    checkOptions('rateLimit', options, ['rateLimitOn', 'retryAfter', 'maxWait', 'clock']);
    checkTimeOptions(options);
    const { rateLimitOn, retryAfter, maxWait = 60, clock = systemClock } = options;
    this.isRateLimit = compileFilter('rateLimitOn', rateLimitOn);
    this.retryAfter = retryAfter === undefined ? undefined : checkFunction('retryAfter', retryAfter);
    this.maxWaitMs = Math.min(checkDurationOrZero('maxWait', maxWait), LONGEST_WAIT_MS);
    this.maxWaitSeconds = msToSeconds(this.maxWaitMs);
    this.clock = clock;
  }

  /**
   * Whether this failure is a rate limit, and how long the provider asks to wait. `nowMs` is the wall clock of whoever
   * asks. The extractor is asked about the failure that matched, which a wrapper of ours may hold.
   * @throws {RetryAfterExtractionError} when the extractor throws, or gives something that is no wait.
   */
  evaluate(error: unknown, nowMs: number = this.clock.wallMs()): RateLimitDecision {
    const layers = unwrapped(error);
    const innermost = layers.findLastIndex(this.isRateLimit);
    if (innermost < 0) return NOT_LIMITED;
    if (this.retryAfter === undefined) return NO_HINT;
    const hint = askFor(this.retryAfter, layers[innermost], { nowMs });
    return hint === null ? NO_HINT : new RateLimitDecision(true, hint);
  }
}

function askFor(
  retryAfter: RetryAfterExtractor,
  failure: unknown,
  context: RetryAfterContext,
): number | null {
  let hint: unknown;
  try {
    hint = retryAfter(failure, context);
  } catch (cause) {
    const problem = `threw ${cause instanceof Error ? cause.name : describeValue(cause)}`;
    throw new RetryAfterExtractionError(failure, problem, { cause });
  }
  if (hint === undefined || hint === null) return null;
  // Adding 0 takes the sign from a negative zero.
  if (typeof hint === 'number' && hint >= 0 && hint < Infinity) return hint + 0;
  // An async extractor that fails later must not end the process.
  if (hint instanceof Promise) hint.catch(() => undefined);
  throw new RetryAfterExtractionError(failure, `returned ${describeValue(hint)}`);
}
