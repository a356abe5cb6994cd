import type { Clock } from '../../time/clock.js';
import { defaultDriver } from './default-driver.js';
import { migrate } from './migrations.js';
import { isBusy, type OpenSqlite, type SqliteDatabase } from './sqlite-database.js';

/** What a file needs. */
export interface SqliteFileSettings {
  readonly path: string;
  readonly open: OpenSqlite | undefined;
  readonly busyTimeoutMs: number;
  readonly clock: Clock;
}

/** Between two questions whether a lock is free again: the first and the longest pause. */
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

/** One file, opened when it is first needed. Its lock is waited for with timers, so that the event loop goes on. */
export class SqliteFile {
  private database: SqliteDatabase | undefined;
  private driver: Promise<OpenSqlite> | undefined;

  constructor(private readonly settings: SqliteFileSettings) {}

  /**
   * Runs work on the open, migrated file, again and again while somebody else holds its lock. The work is one
   * synchronous piece, so that no two of them mix. `background`: the process may end meanwhile.
   */
  async run<T>(work: (database: SqliteDatabase) => T, background = false): Promise<T> {
    const { clock, busyTimeoutMs } = this.settings;
    const open = this.settings.open ?? (await (this.driver ??= defaultDriver()));
    const endMs = clock.monotonicMs() + busyTimeoutMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return work((this.database ??= this.openWith(open)));
      } catch (error) {
        // The next one to come gets a fresh connection: this one may have been overtaken by what happened to the file.
        if (!isBusy(error)) this.close();
        const leftMs = endMs - clock.monotonicMs();
        if (!isBusy(error) || leftMs <= 0) throw error;
        await this.pause(Math.min(pauseMs, leftMs), background);
      }
    }
  }

  /** It is opened again when something is to be done. */
  close(): void {
    const { database } = this;
    this.database = undefined;
    if (database !== undefined) closeQuietly(database);
  }

  private openWith(open: OpenSqlite): SqliteDatabase {
    const database = open(this.settings.path);
    try {
      // SQLite would wait for a lock by blocking the whole process.
      database.exec('PRAGMA busy_timeout = 0');
      // Readers and a writer do not wait for each other, and a process may be killed at any moment.
      database.exec('PRAGMA journal_mode = WAL');
      // Safe with this journal: what the power takes away with it are the last batches, never the file.
      database.exec('PRAGMA synchronous = NORMAL');
      // Who commits moves the journal into the file: often and a little, rather than seldom and for long.
      database.exec('PRAGMA wal_autocheckpoint = 250');
      migrate(database);
      return database;
    } catch (error) {
      closeQuietly(database);
      throw error;
    }
  }

  private pause(delayMs: number, background: boolean): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.settings.clock.setTimer(resolve, delayMs);
      if (background) timer.unref?.();
    });
  }
}

function closeQuietly(database: SqliteDatabase): void {
  try {
    database.close();
  } catch {
    // It comes after a failure, or at the end: nothing more can be done.
  }
}
