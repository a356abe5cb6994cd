export { SqliteEventStore } from './sqlite/sqlite-event-store.js';
export type { SqliteEventStoreOptions } from './sqlite/store-options.js';
export { SqliteEventStoreSchemaError } from './sqlite/schema-error.js';
export { StoredEvent, StoredReport } from './sqlite/stored.js';
export type { StoredSummary } from './sqlite/summary.js';
export type { HistoryOptions, PageOptions, ReportsOptions } from './sqlite/queries.js';
export type { OpenSqlite, SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite/sqlite-database.js';
