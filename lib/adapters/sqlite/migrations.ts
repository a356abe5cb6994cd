import { SqliteEventStoreSchemaError } from './schema-error.js';
import { inTransaction, type SqliteDatabase } from './sqlite-database.js';

type Step = (database: SqliteDatabase) => void;

/**
 * The steps of each part of the schema; their number is its version. `event_store` is what other editions of this
 * library know, and stays as it is: a file can be read and written by both. What we add is in parts of its own.
 */
const COMPONENTS: Readonly<Record<string, readonly Step[]>> = {
  event_store: [
    run(`
      CREATE TABLE IF NOT EXISTS relprim_events (
        sequence_id INTEGER PRIMARY KEY AUTOINCREMENT,
        event_type TEXT NOT NULL,
        operation_name TEXT NOT NULL,
        timestamp TEXT NOT NULL,
        payload_json TEXT NOT NULL
      );
      CREATE INDEX IF NOT EXISTS relprim_events_operation ON relprim_events (operation_name, sequence_id);
      CREATE INDEX IF NOT EXISTS relprim_events_type ON relprim_events (event_type, sequence_id);
      CREATE INDEX IF NOT EXISTS relprim_events_timestamp ON relprim_events (timestamp);`),
  ],
  event_call_ids: [
    (database) => {
      // There is no IF NOT EXISTS for a column, and a file may have lost its row in the table of versions.
      const column = `SELECT name FROM pragma_table_info('relprim_events') WHERE name = 'call_id'`;
      if (database.prepare(column).all().length === 0)
        database.exec(`ALTER TABLE relprim_events ADD COLUMN call_id TEXT NOT NULL DEFAULT ''`);
      database.exec('CREATE INDEX IF NOT EXISTS relprim_events_call ON relprim_events (call_id)');
    },
  ],
  report_store: [
    run(`
      CREATE TABLE IF NOT EXISTS relprim_reports (
        sequence_id INTEGER PRIMARY KEY AUTOINCREMENT,
        call_id TEXT NOT NULL,
        operation_name TEXT NOT NULL,
        status TEXT NOT NULL,
        ended_at TEXT NOT NULL,
        duration_seconds REAL NOT NULL,
        report_json TEXT NOT NULL
      );
      CREATE INDEX IF NOT EXISTS relprim_reports_operation ON relprim_reports (operation_name, sequence_id);
      CREATE INDEX IF NOT EXISTS relprim_reports_call ON relprim_reports (call_id);
      CREATE INDEX IF NOT EXISTS relprim_reports_ended ON relprim_reports (ended_at);`),
  ],
};

/** Brings a file up to date: all of it or, where that fails, nothing of it. */
export function migrate(database: SqliteDatabase): void {
  // Looked at first, so that a file that is up to date can be opened where it cannot be written.
  if (stepsLeft(database).length === 0) return;
  inTransaction(database, () => {
    database.exec(
      'CREATE TABLE IF NOT EXISTS relprim_schema (component TEXT PRIMARY KEY, version INTEGER NOT NULL)',
    );
    const note = database.prepare('INSERT OR REPLACE INTO relprim_schema (component, version) VALUES (?, ?)');
    // Looked at again: another process may have been faster.
    for (const { component, steps, version } of stepsLeft(database)) {
      for (const step of steps) step(database);
      note.run(component, version);
    }
  });
}

/** @throws {SqliteEventStoreSchemaError} for a version that is none, or that is not known here. */
function stepsLeft(database: SqliteDatabase) {
  const versions = versionsIn(database);
  return Object.entries(COMPONENTS).flatMap(([component, all]) => {
    const version = versions.get(component) ?? 0;
    const known = all.length;
    if (!Number.isInteger(version) || (version as number) < 0 || (version as number) > known)
      throw new SqliteEventStoreSchemaError(component, version, known);
    return version === known ? [] : [{ component, steps: all.slice(version as number), version: known }];
  });
}

function versionsIn(database: SqliteDatabase): ReadonlyMap<string, unknown> {
  const table = database.prepare(`SELECT name FROM sqlite_master WHERE name = 'relprim_schema'`).all();
  if (table.length === 0) return new Map();
  const rows = database.prepare('SELECT component, version FROM relprim_schema').all();
  return new Map(
    (rows as { component: string; version: unknown }[]).map((row) => [row.component, row.version]),
  );
}

function run(sql: string): Step {
  return (database) => void database.exec(sql);
}
