import type { AttemptStatus } from '../report/execution-attempt.js';
import type { ExecutionError } from '../report/execution-error.js';
import type { ValidationResult } from '../policies/validation/validation-result.js';

/** What is noted of one ended attempt while its call goes on: plain numbers, which become objects when read. */
export interface AttemptRecord {
  readonly number: number;
  readonly fallback: boolean;
  readonly status: AttemptStatus;
  readonly startMs: number;
  readonly endMs: number;
  readonly error: ExecutionError | null;
  /** The circuit breaker refused it; nothing was called. */
  readonly refused: boolean;
  /** What the last validator said of the value, where one was asked. */
  readonly validation: ValidationResult | undefined;
  /** The delay that the retry policy chose, also where it was not waited for; `undefined` without a choice. */
  readonly delayMs: number | undefined;
  readonly candidate: { readonly name: string; readonly index: number } | undefined;
  readonly failedCandidates: number;
  /** How long the call waited afterwards. Known when the wait is over. */
  waitedMs: number;
}

/** Records of one call, bounded: of very many, the first and the last half are kept. */
export class AttemptLog {
  private readonly first: AttemptRecord[] = [];
  private last: AttemptRecord[] = [];

  add(record: AttemptRecord): void {
    if (this.first.length < HALF) this.first.push(record);
    else {
      this.last.push(record);
      if (this.last.length > HALF) this.last.shift();
    }
  }

  get endsInFailure(): boolean {
    const record = this.last.at(-1) ?? this.first.at(-1);
    return record !== undefined && record.status !== 'succeeded';
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

/** Half of the 100 records that a report keeps. */
const HALF = 50;
