import type { ExecutionReport } from '../../report/execution-report.js';
import type { Clock } from '../../time/clock.js';

/** What an execution gave. A store outside the process writes `value` and `report.toJSON()`, and gives both back. */
export interface KeptOutcome {
  readonly value: unknown;
  /** The account of the execution, made when it is read: `reportFromJson()` makes it of its JSON. */
  readonly report: ExecutionReport;
  /** An Observable completed without a value; then `value` means nothing. */
  readonly withoutValue?: boolean | undefined;
  /** The work was done and its value cannot be given again; then `value` means nothing. */
  readonly unavailable?: NotKept | undefined;
}

/** What somebody says who asks for a key. */
export interface ClaimRequest {
  /** A digest of what the work is done with; `undefined` where nobody compares it. */
  readonly fingerprint: string | undefined;
  /** Where the operation takes its time from. Stores outside the process go by their own. */
  readonly clock: Clock;
  /** Whether whoever asks will wait for an execution that runs elsewhere. */
  readonly waits: boolean;
}

/** Why an outcome is not kept: its owner lost the key to somebody else, or it cannot be written down. */
export type NotKept = 'lost' | 'too_large' | 'not_encodable';

/** The key is yours: execute, then say what came of it. */
export interface OwnedKey {
  readonly state: 'owned';
  /**
   * Keeps the outcome for whoever asks for the key in the next `ttlSeconds`. Gives the reason where it cannot; the key
   * then is never free for another execution, unless it was lost. Callers wait for it, so it must settle in its time.
   */
  complete(
    outcome: KeptOutcome,
    ttlSeconds: number,
  ): NotKept | undefined | void | Promise<NotKept | undefined | void>;
  /** Frees the key: nothing is to be kept. */
  release(): void | Promise<void>;
  /** Resolves when nobody outside this process waits for the outcome any more. Without it, nobody ever does. */
  untilUnawaited?(): Promise<void>;
}

/** Somebody has executed, and this is what came of it. */
export interface KnownOutcome {
  readonly state: 'done';
  readonly fingerprint: string | undefined;
  readonly outcome: KeptOutcome;
}

/** Somebody outside this process executes. */
export interface KeyInFlight {
  readonly state: 'in_flight';
  readonly fingerprint: string | undefined;
  /**
   * Resolves when it is worth asking for the key again, also where that has come since `claim` answered; at once when
   * the signal aborts.
   */
  changed(signal: AbortSignal): Promise<void>;
}

export type Claim = OwnedKey | KnownOutcome | KeyInFlight;

/**
 * Where outcomes are kept, and where processes agree on who executes. Callers of one process that ask for a key at the
 * same time meet in the engine: a store is asked by one of them.
 */
export interface IdempotencyStore {
  /** Asks for a key, atomically: of all who ask at the same time, one owns it. */
  claim(key: string, request: ClaimRequest): Claim | Promise<Claim>;
}

export function isIdempotencyStore(value: unknown): value is IdempotencyStore {
  return (
    typeof value === 'object' && value !== null && typeof (value as { claim?: unknown }).claim === 'function'
  );
}
