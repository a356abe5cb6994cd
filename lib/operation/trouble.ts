import type { CircuitBreakerTransition } from '../policies/circuit-breaker/circuit-breaker-state.js';
import type { CircuitBreakerOpenError } from '../policies/circuit-breaker/circuit-breaker-open-error.js';
import { lastReporterOf, type Reported } from '../report/report-of.js';
import { AttemptLog, type RateLimitNote } from './attempt-record.js';

/** What a call notes once something has gone wrong; a first-try success never makes one. */
export class Trouble {
  /** Ended attempts but a primary success, which needs no record of its own. */
  readonly log = new AttemptLog();
  /** What the latest attempt was ended by. */
  thrown: unknown = undefined;
  /** The latest failure of the primary path. */
  failure: unknown = undefined;
  /** The latest one that was no refusal. */
  lastRealFailure: unknown = undefined;
  /** The timeout of ours that ended the latest attempt. */
  ownTimeout: unknown = undefined;
  /** For how long of the latest attempt the event loop was blocked when a limit of ours came due. */
  stallMs = 0;
  /** How what the running attempt has spent moved its breaker. */
  moved: CircuitBreakerTransition | undefined = undefined;
  /** Why the breaker refuses the running attempt. */
  refusal: CircuitBreakerOpenError | undefined = undefined;
  /** The running attempt was not waited for, as it can only be refused. */
  unwaited = false;
  /** The latest primary attempt met a limit of ours after the method had been called. */
  outcomeUnknown = false;
  deadlineExhausted = false;
  /** The application is stopping, so that nothing is tried again. */
  shuttingDown = false;
  /** Ended by something that reaches the caller as it is: a sink's or a selector's error, a misuse. */
  interrupted = false;
  /** That, and not within an attempt. */
  failedOutsideAttempt = false;
  rateLimitEncountered = false;
  rateLimitExceeded = false;
  /** What was waited after rate limits. */
  rateLimitWaitMs = 0;
  causedBy: Reported[] | undefined = undefined;
  /** The number of the latest call that had started when this one ended without a value. */
  latestStart: number | undefined = undefined;

  /** Whether this is the refusal of the running attempt. `undefined` can be thrown, too, and is none. */
  isRefusal(failure: unknown): boolean {
    return failure !== undefined && failure === this.refusal;
  }

  /** Whether this is the timeout of ours that ended the latest attempt. */
  isOwnTimeout(failure: unknown): boolean {
    return failure !== undefined && failure === this.ownTimeout;
  }

  noteRateLimit({ exceeded }: RateLimitNote): void {
    this.rateLimitEncountered = true;
    if (exceeded) this.rateLimitExceeded = true;
  }

  /** Notes another call whose failure came up in this one; of very many, the first and the last are kept. */
  noteCause(failure: unknown, sequence: number): void {
    const reporter = lastReporterOf(failure);
    if (reporter === undefined) return;
    // Of several that share the failure, the one that this call has started came after it.
    const isInner = (call: Reported): boolean => (call.sequence ?? 0) > sequence;
    const inner = [reporter, ...(reporter.sharers ?? [])].find(isInner);
    if (inner === undefined) return;
    const causes = (this.causedBy ??= []);
    if (causes.includes(inner)) return;
    causes.push(inner);
    if (causes.length > MOST_CAUSES) causes.splice(MOST_CAUSES / 2, 1);
  }

  /** The call has ended: only its account stays. */
  forgetErrors(): void {
    this.thrown = this.failure = this.lastRealFailure = this.ownTimeout = this.refusal = undefined;
  }
}

/** As many as a report keeps attempts. */
const MOST_CAUSES = 100;
