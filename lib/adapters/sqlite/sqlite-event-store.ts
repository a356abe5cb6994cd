import type { EventSink } from '../../events/event-sink.js';
import type { AnyEvent } from '../../events/structured-event.js';
import type { ExecutionReport } from '../../report/execution-report.js';
import { sleep, type Clock } from '../../time/clock.js';
import { Complaints } from './complaints.js';
import {
  historyQuery,
  reportsQuery,
  type HistoryOptions,
  type Query,
  type ReportsOptions,
} from './queries.js';
import { DELETIONS, ROWS_AT_A_TIME } from './retention.js';
import { SqliteFile } from './sqlite-file.js';
import { checkStoreOptions, type SqliteEventStoreOptions } from './store-options.js';
import {
  storedEvent,
  storedReport,
  type EventRow,
  type ReportRow,
  type StoredEvent,
  type StoredReport,
} from './stored.js';
import { readSummary, type StoredSummary } from './summary.js';
import { wallText } from './wall-text.js';
import { WriteQueue } from './write-queue.js';

/**
 * Keeps events, and reports if you give them, in an SQLite file. Calls do not wait for it and never fail because of it:
 * what it is told waits in a bounded queue, and is written in batches.
 */
export class SqliteEventStore implements EventSink {
  private readonly file: SqliteFile;
  private readonly queue: WriteQueue;
  private readonly clock: Clock;

  /** @throws {ConfigurationError} for a path that is none or in memory, or a number that is out of range. */
  constructor(options: SqliteEventStoreOptions) {
    const { path, open, busyTimeoutMs, clock, warn, queueSize, flushIntervalMs } = checkStoreOptions(options);
    this.clock = clock;
    this.file = new SqliteFile({ path, open, busyTimeoutMs, clock });
    const complaints = new Complaints(clock, warn);
    this.queue = new WriteQueue({ file: this.file, clock, complaints, queueSize, flushIntervalMs });
  }

  /** How many events and reports were dropped because the queue was full. */
  get dropped(): number {
    return this.queue.dropped;
  }

  /** How many could not be written as they were, as with a number that is not finite. */
  get refused(): number {
    return this.queue.refused;
  }

  /**
   * Opens the file and brings its tables up to date, which otherwise happens when it is first needed.
   * @throws {ConfigurationError} where there is no driver.
   * @throws {SqliteEventStoreSchemaError} for tables that a later version of this library has made.
   */
  async initialize(): Promise<void> {
    await this.file.run(() => undefined);
  }

  /** Keeps an event. Returns at once, and throws nothing. */
  emit(event: AnyEvent): void {
    this.queue.add(event);
  }

  /** Keeps a report: give it to `onReport`, or to `executor.observe()`. Bound, so that it can be given away. */
  readonly onReport = (report: ExecutionReport): void => {
    this.queue.add(report);
  };

  /** Writes all that waits. @throws what SQLite says when that cannot be done. */
  flush(): Promise<void> {
    return this.queue.flush();
  }

  /** Writes all that waits and closes the file, even where that fails. It is opened again when something comes. */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      this.file.close();
    }
  }

  /** NestJS calls this where the store is a provider. */
  async onApplicationShutdown(): Promise<void> {
    // What went wrong has been said, and an application that stops has more to do.
    await this.close().catch(() => undefined);
  }

  /**
   * A page of the events, with those that still wait.
   * @throws {ConfigurationError} for options that make no sense.
   */
  async history(options: HistoryOptions = {}): Promise<readonly StoredEvent[]> {
    return (await this.ask(historyQuery<EventRow>(options))).map(storedEvent);
  }

  /**
   * A page of the reports, with those that still wait.
   * @throws {ConfigurationError} for options that make no sense.
   */
  async reports(options: ReportsOptions = {}): Promise<readonly StoredReport[]> {
    return (await this.ask(reportsQuery<ReportRow>(options))).map(storedReport);
  }

  /**
   * What the calls that have ended since then come to, by operation: of reports, and of events where there is no report.
   * @throws {ConfigurationError} for a date that is none.
   */
  async summary(since: Date): Promise<readonly StoredSummary[]> {
    const from = wallText('since', since);
    return this.ask((database) => readSummary(database, from));
  }

  /**
   * Deletes the events from before a moment, and the reports of calls that ended before it; gives how many. Nothing is
   * deleted otherwise.
   * @throws {ConfigurationError} for a date that is none.
   */
  async deleteBefore(moment: Date): Promise<number> {
    const before = wallText('moment', moment);
    await this.writeWhatWaits();
    let deleted = 0;
    for (const deleteSome of DELETIONS) {
      for (;;) {
        const count = await this.file.run((database) => deleteSome(database, before));
        deleted += count;
        if (count < ROWS_AT_A_TIME) break;
        await sleep(this.clock, 1);
      }
    }
    return deleted;
  }

  private async ask<Row>(query: Query<Row>): Promise<readonly Row[]> {
    if (query === undefined) return [];
    await this.writeWhatWaits();
    return this.file.run(query);
  }

  /** A file that cannot be written can still be read. */
  private async writeWhatWaits(): Promise<void> {
    await this.flush().catch(() => undefined);
  }
}
