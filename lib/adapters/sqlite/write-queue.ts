import { AsyncResource } from 'node:async_hooks';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { RelPrimError } from '../../errors/relprim-error.js';
import { errorGist } from '../../report/execution-error.js';
import type { Clock, Timer } from '../../time/clock.js';
import type { Complaints } from './complaints.js';
import { forgetAtProcessEnd, watchUntilProcessEnd } from './process-end.js';
import { Row, Statements, type Told } from './rows.js';
import { inTransaction, type SqliteDatabase } from './sqlite-database.js';
import type { SqliteFile } from './sqlite-file.js';

/** What a queue needs. */
export interface WriteQueueSettings {
  readonly file: SqliteFile;
  readonly clock: Clock;
  readonly complaints: Complaints;
  readonly queueSize: number;
  readonly flushIntervalMs: number;
}

/** So many rows are written at a time, within a few milliseconds; then others get their turn. */
const ROWS_AT_A_TIME = 200;
/** After a failure. */
const TRY_AGAIN_MS = 5_000;

/** A timer that a call sets must not hold that call's async context. */
const outsideAnyCall = new AsyncResource('relprim.sqlite');

/** What waits to be written: calls leave it here, and it is written in batches when they have gone on. */
export class WriteQueue {
  /** What was not kept because the queue was full. */
  dropped = 0;
  /** What could not be written as it was. */
  refused = 0;
  private readonly waiting: (Told | Row)[] = [];
  private timer: Timer | undefined;
  private isWriting = false;
  private isFailing = false;

  constructor(private readonly settings: WriteQueueSettings) {}

  add(told: Told): void {
    const { waiting } = this;
    if (waiting.length >= this.settings.queueSize) return this.drop();
    waiting.push(told);
    if (this.isWriting) return;
    if (this.timer === undefined) this.schedule(this.settings.flushIntervalMs);
    else if (waiting.length === ROWS_AT_A_TIME && !this.isFailing) this.schedule(0);
  }

  /** Writes all that waits now. Rejects when that cannot be done; it waits on then. */
  async flush(): Promise<void> {
    for (let left = this.waiting.length; left > 0; left -= ROWS_AT_A_TIME) await this.write(false);
    if (this.waiting.length === 0) this.cancelTimer();
  }

  private drop(): void {
    const { complaints, queueSize } = this.settings;
    this.dropped += 1;
    complaints.loss(
      'dropped',
      `is too slow: ${this.dropped} event(s) and report(s) dropped so far, as ${queueSize} were waiting`,
    );
  }

  private schedule(delayMs: number): void {
    this.cancelTimer();
    this.timer = outsideAnyCall.runInAsyncScope(() => this.settings.clock.setTimer(this.due, delayMs));
    this.timer.unref?.();
    watchUntilProcessEnd(this);
  }

  private cancelTimer(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  private readonly due = (): void => {
    this.timer = undefined;
    this.isWriting = true;
    void this.write(true).then(this.written, this.written);
  };

  private readonly written = (): void => {
    this.isWriting = false;
    const { length } = this.waiting;
    if (length === 0 || this.timer !== undefined) return;
    const pauseMs = length < ROWS_AT_A_TIME ? this.settings.flushIntervalMs : 0;
    this.schedule(this.isFailing ? TRY_AGAIN_MS : pauseMs);
  };

  /** Writes one batch. */
  private async write(background: boolean): Promise<void> {
    const { file, complaints } = this.settings;
    try {
      await file.run(this.writeBatch, background);
      this.isFailing = false;
      complaints.success();
    } catch (error) {
      this.isFailing = true;
      complaints.failure(gistOf(error));
      throw error;
    }
    if (this.waiting.length === 0) forgetAtProcessEnd(this);
  }

  private readonly writeBatch = (database: SqliteDatabase): void => {
    const rows = this.nextRows();
    if (rows.length === 0) return;
    inTransaction(database, () => {
      const statements = new Statements(database);
      for (const row of rows) row.insert(statements);
    });
    this.waiting.splice(0, rows.length);
  };

  /** The first ones as rows, which stay in their places until they are written. */
  private nextRows(): readonly Row[] {
    const first = this.waiting.slice(0, ROWS_AT_A_TIME);
    const rows = first.flatMap((told) => (told instanceof Row ? told : this.rowOf(told)));
    this.waiting.splice(0, first.length, ...rows);
    return rows;
  }

  private rowOf(told: Told): Row | [] {
    try {
      return Row.of(told);
    } catch (error) {
      this.refused += 1;
      const what = `${this.refused} event(s) and report(s) refused so far`;
      this.settings.complaints.loss('refused', `could not write one as it is: ${gistOf(error)}. ${what}`);
      return [];
    }
  }
}

/** What we say ourselves names the cure, so all of it is said. */
function gistOf(error: unknown): string {
  const isOurs = error instanceof ConfigurationError || error instanceof RelPrimError;
  return isOurs ? error.message : errorGist(error);
}
