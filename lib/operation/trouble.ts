import type { CircuitBreakerOpenError } from '../policies/circuit-breaker/circuit-breaker-open-error.js';
import type { Reported } from '../report/report-of.js';
import { AttemptLog } from './attempt-record.js';

/** What a call notes once something has gone wrong; a first-try success never makes one. */
export class Trouble {
  /** Ended attempts but a primary success, which needs no record of its own. */
  readonly log = new AttemptLog();
  /** The latest failure of the primary path. */
  failure: unknown = undefined;
  /** The latest one that was no refusal. */
  lastRealFailure: unknown = undefined;
  /** The timeout of ours that ended the latest attempt. */
  ownTimeout: unknown = undefined;
  /** Why the breaker refuses the running attempt. */
  refusal: CircuitBreakerOpenError | undefined = undefined;
  /** The running attempt was not waited for, as it can only be refused. */
  unwaited = false;
  deadlineExhausted = false;
  /** Ended by something that reaches the caller as it is: a sink's or a selector's error, a misuse. */
  interrupted = false;
  /** That, and not within an attempt. */
  failedOutsideAttempt = false;
  causedBy: Reported[] = [];

  /** The call has ended: only its account stays. */
  forgetErrors(): void {
    this.failure = this.lastRealFailure = this.ownTimeout = this.refusal = undefined;
  }
}
