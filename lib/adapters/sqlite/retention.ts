import type { SqliteDatabase } from './sqlite-database.js';

/** So many rows are deleted at a time, within a few milliseconds; then others get their turn. */
export const ROWS_AT_A_TIME = 250;

const TABLES = [
  { table: 'relprim_events', moment: 'timestamp' },
  { table: 'relprim_reports', moment: 'ended_at' },
] as const;

/** For each table: deletes some of its rows from before a moment, and gives how many. */
export const DELETIONS = TABLES.map(({ table, moment }) => {
  const sql = `DELETE FROM ${table} WHERE sequence_id IN
    (SELECT sequence_id FROM ${table} WHERE ${moment} < ? LIMIT ${ROWS_AT_A_TIME})`;
  return (database: SqliteDatabase, before: string): number =>
    Number(database.prepare(sql).run(before).changes);
});
