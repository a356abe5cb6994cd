import type { ErrorSummary } from '../report/execution-error.js';
import type { ExecutionReport, ExecutionStatus } from '../report/execution-report.js';

/** A call, as seen by a probe. */
export interface ProbedCall {
  readonly operationName: string;
  readonly clock: { monotonicMs(): number };
  /** On the monotonic clock. */
  readonly startMs: number;
  /** Of the latest attempt, or of the call once that has ended. */
  readonly endMs: number;
  /** Of the running attempt, or of the latest; 0 before the first. */
  readonly attemptNumber: number;
  readonly phase: string;
  /** `undefined` while it runs. */
  readonly status: ExecutionStatus | undefined;
  /** `'rejection'`: it does the work of calls that have a key, which have accounts of their own. */
  readonly form: 'value' | 'result' | 'rejection';
  /** Its latest attempt was a primary one and succeeded. */
  readonly attemptSucceeded: boolean;
  /** `undefined` where nothing has gone wrong so far. */
  readonly trouble: object | undefined;
  /** What the key did for it; `undefined` where nothing came of it, and not there at all for a call without a key. */
  readonly role?: 'executed' | 'joined' | 'replayed' | undefined;
  /** Once it has ended. */
  readonly report: ExecutionReport;
}

/** An attempt that has ended, as seen by a probe. */
export interface ProbedAttempt {
  readonly number: number;
  readonly fallback: boolean;
  readonly status: ExecutionStatus;
  readonly error: ErrorSummary | null;
  /** A circuit breaker refused it; nothing was called. */
  readonly refused: boolean;
  readonly candidate: { readonly name: string } | undefined;
}

/** A circuit breaker, as seen by a probe. One of a key has what it belongs to as its `root`. */
export interface ProbedBreaker {
  readonly name: string;
  readonly root?: ProbedBreaker;
}

/**
 * Sees calls from inside, for what comes too late or costs too much as an event: a span must be there before the method
 * runs. Such a thing is given where sinks are given, as the `probe` of one.
 *
 * Whatever the two with a `run` do besides, they call it once and give what it gives, or throw what it throws. What the
 * others throw is a warning, and harms no call.
 */
export interface CallProbe {
  /** A call begins; `run` begins it. All that follows in it runs in the async context in which `run` was called. */
  readonly launch?: ((call: ProbedCall, run: () => Promise<unknown>) => Promise<unknown>) | undefined;
  /** A call with a key has an execution that does its work, and perhaps that of others. */
  readonly execute?: ((call: ProbedCall, execution: ProbedCall) => void) | undefined;
  /** A circuit breaker is about to be asked. */
  readonly ask?: ((breaker: ProbedBreaker) => void) | undefined;
  /** The breaker has refused the running attempt. */
  readonly refuse?: ((breaker: ProbedBreaker, reason: string) => void) | undefined;
  /** In an attempt, the method or one of its stand-ins is called, by `run`. */
  readonly invoke?: ((call: ProbedCall, run: () => unknown) => unknown) | undefined;
  /** A primary attempt has succeeded. */
  readonly succeed?: ((call: ProbedCall) => void) | undefined;
  /** An attempt has ended otherwise, or was a fallback. */
  readonly note?: ((call: ProbedCall, attempt: ProbedAttempt) => void) | undefined;
  /** A call has ended, and its report can be read. */
  readonly end?: ((call: ProbedCall) => void) | undefined;
}
