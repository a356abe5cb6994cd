import { globalSlot } from '../errors/global-slot.js';
import { MisuseError } from '../errors/misuse-error.js';
import type { AbortListener } from './abort-listeners.js';

/** What a running method may know about the try that runs it. */
export interface CurrentAttempt {
  /** Position in the call, from 1. */
  readonly number: number;
  /** `fallback` while a fallback candidate runs. */
  readonly kind: 'primary' | 'fallback';
  readonly operationName: string;
  /** The same in every attempt of one call, in its events and in its report. */
  readonly callId: string;
  /** The key of the call, the same in every attempt, to hand on to an upstream that knows keys; `undefined` without one. */
  readonly idempotencyKey: string | undefined;
  /** Aborts, with the reason, when this attempt times out, the deadline passes or the caller goes away. Made when read. */
  readonly signal: AbortSignal;
  /** What is left of the attempt's timeout or the call's deadline, whichever is nearer; `Infinity` without either. */
  readonly remainingSeconds: number;
  /** Why the attempt before this one failed; `undefined` in the first. */
  readonly lastError: unknown;
  /**
   * Takes a cost, in tokens or money, from the budget of the circuit breaker; nothing where there is none. In a
   * stand-alone policy inside an operation it is the budget of that operation.
   */
  spend(cost: number): void;
}

/** A call, as seen from the code that runs inside one of its attempts. */
export interface AttemptScope {
  /** The attempt that is running. */
  attempt(): CurrentAttempt;
  /** The calls that this attempt started; they end with it when it is cut. */
  children(): Set<AbortListener>;
  /** Whether its caller has gone away already, so that nothing more is to be started in it. */
  readonly cancelled?: boolean;
  readonly cancelReason?: unknown;
}

interface Running {
  scope: AttemptScope | undefined;
}

/** A variable rather than async context: it is set only while a method's synchronous part runs, and costs nothing. */
const slot = globalSlot('attempt', (): { running: Running } => ({ running: { scope: undefined } }));
let entered = 0;

/** Says that code of an attempt is about to run; gives what to hand to {@link leaveAttempt} afterwards. */
export function enterAttempt(scope: AttemptScope): AttemptScope | undefined {
  // Moved to a new object now and then, as an old one that points to new ones costs the collector's write barrier.
  if ((entered = (entered + 1) % 256) === 0) slot.running = { scope: slot.running.scope };
  const { running } = slot;
  const outer = running.scope;
  running.scope = scope;
  return outer;
}

export function leaveAttempt(outer: AttemptScope | undefined): void {
  slot.running.scope = outer;
}

export function runningAttempt(): AttemptScope | undefined {
  return slot.running.scope;
}

/**
 * The running attempt. Only in the synchronous part of a method, before its first `await`; keep what it returns.
 * @throws {MisuseError} anywhere else; such an error ends the call at once, without retry, record or fallback.
 */
export function currentAttempt(): CurrentAttempt {
  const { scope } = slot.running;
  if (scope !== undefined) return scope.attempt();
  throw new MisuseError(
    'currentAttempt() was called where no attempt is running; ' +
      'call it first thing in the method, before any await, and keep what it returns',
  );
}

/** The signal of the running attempt, or `undefined` where no attempt is running: for helpers called from anywhere. */
export function attemptSignal(): AbortSignal | undefined {
  return slot.running.scope?.attempt().signal;
}
