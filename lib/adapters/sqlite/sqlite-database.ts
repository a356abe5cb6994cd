/** What is written to a column here. */
export type SqliteValue = string | number;

/** What is used of a prepared statement of `node:sqlite` or `better-sqlite3`. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint };
  all(...values: SqliteValue[]): unknown[];
}

/** What is used of an open database of `node:sqlite` or `better-sqlite3`. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

/** Opens a file, and makes it where there is none. */
export type OpenSqlite = (path: string) => SqliteDatabase;

/** Runs all of it or nothing of it. The lock is taken at once: to ask for it later may fail however long one waits. */
export function inTransaction<T>(database: SqliteDatabase, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const value = work();
    database.exec('COMMIT');
    return value;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // After some errors, a full disk for one, SQLite has done so itself.
  }
}

const SQLITE_BUSY = 5;

/** Whether somebody else holds the lock for now. */
export function isBusy(error: unknown): boolean {
  const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown };
  // `node:sqlite` gives the number, whose lowest byte is the kind; `better-sqlite3` its name.
  if (typeof errcode === 'number') return (errcode & 0xff) === SQLITE_BUSY;
  return typeof code === 'string' && /^SQLITE_BUSY(_|$)/.test(code);
}
