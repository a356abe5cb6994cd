import type { AttemptStatus } from '../report/execution-attempt.js';
import type { ErrorSummary } from '../report/execution-error.js';
import type { Guard } from './guard.js';
import type { ValidationResult } from '../policies/validation/validation-result.js';

/** What is noted of one ended attempt while its call goes on: plain numbers, which become objects when read. */
export interface AttemptRecord {
  readonly number: number;
  readonly fallback: boolean;
  readonly status: AttemptStatus;
  readonly startMs: number;
  readonly endMs: number;
  readonly error: ErrorSummary | null;
  /** The circuit breaker refused it; nothing was called. */
  readonly refused: boolean;
  /** Why, as the refusal says. */
  readonly refusedFor: string | undefined;
  /** What the last validator said of the value, where one was asked. */
  readonly validation: ValidationResult | undefined;
  /** The delay that the retry policy chose, also where it was not waited for; `undefined` without a choice. */
  readonly delayMs: number | undefined;
  /** Present when the failure was a rate limit. */
  readonly rateLimit: RateLimitNote | undefined;
  readonly candidate: { readonly name: string; readonly index: number } | undefined;
  readonly failedCandidates: number;
  /** What a shield or a concurrency limit meant for it. */
  readonly guard: GuardNote | undefined;
  /** For how long our own event loop was blocked, where a limit of ours came due meanwhile. */
  readonly stallMs: number;
  /** How long the call waited afterwards. Known when the wait is over. */
  waitedMs: number;
}

/** What a shield or a concurrency limit meant for an attempt. */
export interface GuardNote {
  /** How long it might take, where a shield said so; `undefined` where it did not begin. */
  readonly timeoutMs: number | undefined;
  /** How long it waited to be admitted. */
  readonly waitedMs: number;
  /** It was not admitted, and nothing was called. */
  readonly refused: boolean;
}

/** Of the running attempt of a call. */
export function attemptNote(guard: Guard): GuardNote {
  const { timeoutMs, attemptWaitedMs, refusal } = guard;
  return {
    timeoutMs: timeoutMs === Infinity ? undefined : timeoutMs,
    waitedMs: attemptWaitedMs,
    refused: refusal !== undefined,
  };
}

/** What a rate limit meant for the attempt that met it. */
export interface RateLimitNote {
  /** What the provider asked for; `null` without a hint. */
  readonly hintSeconds: number | null;
  /** The wait would have been longer than the policy allows; it was not begun. */
  readonly exceeded: boolean;
  /** The wait that was chosen, also where it was not begun; `undefined` where there is no further try at all. */
  readonly delayMs: number | undefined;
}

type Known = 'number' | 'fallback' | 'status' | 'startMs' | 'endMs';

/** A record of which only some things are to be said. Member by member: a failing call pays for a copy, too. */
export function attemptRecord(given: Pick<AttemptRecord, Known> & Partial<AttemptRecord>): AttemptRecord {
  return {
    number: given.number,
    fallback: given.fallback,
    status: given.status,
    startMs: given.startMs,
    endMs: given.endMs,
    error: given.error ?? null,
    refused: given.refused ?? false,
    refusedFor: given.refusedFor,
    validation: given.validation,
    delayMs: given.delayMs,
    rateLimit: given.rateLimit,
    guard: given.guard,
    candidate: given.candidate,
    failedCandidates: given.failedCandidates ?? 0,
    stallMs: given.stallMs ?? 0,
    waitedMs: given.waitedMs ?? 0,
  };
}

/** Records of one call, bounded: of very many, the first and the last half are kept. */
export class AttemptLog {
  private readonly first: AttemptRecord[] = [];
  /** Only of very many. */
  private last: AttemptRecord[] = NONE;

  add(record: AttemptRecord): void {
    if (this.first.length < HALF) this.first.push(record);
    else {
      if (this.last === NONE) this.last = [];
      this.last.push(record);
      if (this.last.length > HALF) this.last.shift();
    }
  }

  list(): readonly AttemptRecord[] {
    return [...this.first, ...this.last];
  }

  /** All of them and the final success, which takes the place of one more where there are very many. */
  listWith(success: AttemptRecord): readonly AttemptRecord[] {
    const last = this.last.length < HALF ? this.last : this.last.slice(1);
    return [...this.first, ...last, success];
  }
}

const NONE: AttemptRecord[] = [];

/** Half of the 100 records that a report keeps. */
const HALF = 50;
