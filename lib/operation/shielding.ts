import type { Gate } from '../attempt/gate.js';
import type { FallbackChain } from '../policies/fallback/fallback-chain.js';
import type { Clock } from '../time/clock.js';
import type { DeadlineQueue } from '../time/deadline-queue.js';
import type { Random } from '../time/random.js';
import type { AnyFunction } from './settings.js';

/** What a failure means to a shield. */
export type FailureKind =
  /** Reaches the caller at once: an open breaker, the deadline. */
  | 'passes'
  /** The dependency is too slow, or asked too much: worth another try, more slowly. */
  | 'slow'
  /** A failure of the work itself. */
  | 'other'
  /** The attempt was not admitted. */
  | 'refused';

/** How the limiter of a shield has changed. */
export interface ShieldMove {
  readonly type: 'engaged' | 'disengaged' | 'rate_changed';
  readonly shieldName: string;
  readonly profile: string;
  readonly rate: number;
  readonly wMax: number;
}

export type GaveUpReason =
  'attempts_exhausted' | 'budget_exhausted' | 'non_retryable' | 'not_admitted' | 'deadline_exhausted';

/** How a call ended that its shield gave up. */
export interface GivenUp {
  readonly reason: GaveUpReason;
  readonly attempts: number;
  readonly seconds: number;
}

/** Which shield it is. */
export interface ShieldIdentity {
  readonly name: string;
  readonly profile: string;
}

/** What a shield decides for the calls that took it. The engine asks, and acts. */
export interface ShieldDecisions {
  readonly identity: ShieldIdentity;
  readonly gate: Gate;
  readonly maxAttempts: number;
  /** What is asked when it gives up: cache, then fallback. */
  readonly recovery: FallbackChain | undefined;
  /** How long the attempt may take that begins now. */
  timeoutMs(): number;
  /** The deadlines of that length. */
  timeouts(clock: Clock, timeoutMs: number): DeadlineQueue;
  kindOf(failure: unknown): Exclude<FailureKind, 'refused'>;
  succeeded(nowMs: number, latencyMs: number, retries: number): ShieldMove | undefined;
  /** `timedOutMs` where it was cut by its timeout. */
  slowed(nowMs: number, startMs: number, timedOutMs: number | undefined): ShieldMove | undefined;
  /** Takes one retry from the budget, where one is left. */
  takeRetry(nowMs: number): boolean;
  delayMs(attemptNumber: number, random: Random): number;
  /** Keeps a value for when there is nothing better. Never throws, and nobody waits for it. */
  keep(operationName: string, args: readonly unknown[], value: unknown): void;
  /** What a caller gets when the recovery has failed, too. */
  endingOf(chainFailure: unknown, failure: unknown): unknown;
  /** Notes on the error why there was no further try. */
  note(error: unknown, givenUp: GivenUp): void;
}

/** A shield, as an operation knows it. */
export interface ShieldSource {
  readonly name: string;
  /** What a call that begins now goes by, to its end. */
  readonly current: ShieldDecisions;
  /** Is told which clock its calls go by. */
  adopt(clock: Clock): void;
  /** Is told of an operation that it shields, and what that runs. */
  note(operationName: string, fn: AnyFunction): void;
}
