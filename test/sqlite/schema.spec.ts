import { expect, it } from '@jest/globals';
import { RelPrimError } from '../../lib/index.js';
import { SqliteEventStoreSchemaError } from '../../lib/adapters/sqlite.js';
import { describeWithSqlite } from './driver.js';
import { event, freshPath, lookInto, rowsOf, storeOn } from './support.js';

const VERSIONS = 'SELECT component, version FROM relprim_schema ORDER BY component';
const LATEST = [
  { component: 'event_call_ids', version: 1 },
  { component: 'event_store', version: 1 },
  { component: 'report_store', version: 1 },
];

/** The tables as another edition makes them, which knows no calls and no reports. */
const OF_ANOTHER_EDITION = `
  CREATE TABLE relprim_schema (component TEXT PRIMARY KEY, version INTEGER NOT NULL);
  INSERT INTO relprim_schema VALUES ('event_store', 1);
  CREATE TABLE relprim_events (sequence_id INTEGER PRIMARY KEY AUTOINCREMENT, event_type TEXT NOT NULL,
    operation_name TEXT NOT NULL, timestamp TEXT NOT NULL, payload_json TEXT NOT NULL);`;
const INSERT = `INSERT INTO relprim_events (event_type, operation_name, timestamp, payload_json)
  VALUES ('attempt.started', 'charge', '2026-01-01T00:00:00.250123+00:00', '{"attempt_number":1,"max_attempts":3}');`;

describeWithSqlite('the tables of an SQLite file', () => {
  it('are made with their versions when the file is first needed, or on request [R275]', async () => {
    const [lazy, asked] = [freshPath(), freshPath()];
    const first = storeOn(lazy);
    first.store.emit(event());
    await first.store.flush();
    expect(rowsOf(lazy, VERSIONS)).toEqual(LATEST);
    await storeOn(asked).store.initialize();
    expect(rowsOf(asked, VERSIONS)).toEqual(LATEST);
  });

  it('have the columns and indexes that queries need, and the journal that lets readers read', async () => {
    const path = freshPath();
    await storeOn(path).store.initialize();
    const columns = rowsOf(path, `SELECT name, type, "notnull", pk FROM pragma_table_info('relprim_events')`);
    const text = (name: string) => ({ name, type: 'TEXT', notnull: 1, pk: 0 });
    expect(columns).toEqual([
      { name: 'sequence_id', type: 'INTEGER', notnull: 0, pk: 1 },
      ...['event_type', 'operation_name', 'timestamp', 'payload_json', 'call_id'].map(text),
    ]);
    const plan = (condition: string, order = 'ORDER BY sequence_id') =>
      rowsOf(path, `EXPLAIN QUERY PLAN SELECT * FROM relprim_events WHERE ${condition} ${order}`)
        .map((row) => (row as { detail: string }).detail)
        .join('; ');
    expect(plan(`operation_name = 'x' AND sequence_id > 1`)).toBe(
      'SEARCH relprim_events USING INDEX relprim_events_operation (operation_name=? AND sequence_id>?)',
    );
    expect(plan(`event_type = 'x' AND sequence_id > 1`)).toContain('INDEX relprim_events_type (event_type=?');
    expect(plan(`timestamp < 'x'`, '')).toContain('INDEX relprim_events_timestamp (timestamp<?)');
    expect(plan(`call_id = 'x'`)).toContain('INDEX relprim_events_call (call_id=?)');
    expect(rowsOf(path, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
  });

  it('are made in a file whose table of versions is empty [R276]', async () => {
    const path = freshPath();
    const other = lookInto(path);
    other.exec('CREATE TABLE relprim_schema (component TEXT PRIMARY KEY, version INTEGER NOT NULL)');
    const { store } = storeOn(path);
    store.emit(event());
    expect(await store.history()).toHaveLength(1);
    expect(rowsOf(path, VERSIONS)).toEqual(LATEST);
  });

  it('are taken over where only their versions were lost', async () => {
    const path = freshPath();
    const before = storeOn(path).store;
    before.emit(event({ callId: 'c' }));
    await before.close();
    lookInto(path).exec('DELETE FROM relprim_schema');
    const [stored] = await storeOn(path).store.history();
    expect(stored?.event.callId).toBe('c');
    expect(rowsOf(path, VERSIONS)).toEqual(LATEST);
  });

  it('are left alone where they are of a later version, or of none, and that is an error [R277]', async () => {
    for (const version of ['2', '-1', '1.5', `'one'`]) {
      const path = freshPath();
      lookInto(path).exec(`${OF_ANOTHER_EDITION} UPDATE relprim_schema SET version = ${version};`);
      const { store, warnings } = storeOn(path);
      const error: unknown = await store.initialize().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SqliteEventStoreSchemaError);
      expect(error).toBeInstanceOf(RelPrimError);
      expect(error).toMatchObject({
        code: 'RELPRIM_SQLITE_SCHEMA',
        component: 'event_store',
        knownVersion: 1,
      });
      await expect(store.history()).rejects.toBeInstanceOf(SqliteEventStoreSchemaError);
      store.emit(event());
      await expect(store.flush()).rejects.toBeInstanceOf(SqliteEventStoreSchemaError);
      expect(warnings).toEqual([
        `SQLite event store cannot write: ${(error as Error).message}. Calls go on, and it is tried again`,
      ]);
      expect(rowsOf(path, 'SELECT * FROM relprim_events')).toEqual([]);
      expect(rowsOf(path, VERSIONS)).toHaveLength(1);
    }
  });

  it('say in the error which version there is, and which is known', () => {
    expect(new SqliteEventStoreSchemaError('event_store', 2, 1).message).toBe(
      'the file has version 2 of event_store, and this library knows up to 1',
    );
    expect(new SqliteEventStoreSchemaError('event_store', 'secret', 1).message).toContain(
      'version a string of',
    );
  });

  it('are brought up to date as a whole or not at all', async () => {
    const path = freshPath();
    const other = lookInto(path);
    // The last part cannot be made, as there is something else of its name.
    other.exec(`${OF_ANOTHER_EDITION} ${INSERT} CREATE TABLE relprim_reports (something TEXT);`);
    const { store } = storeOn(path);
    await expect(store.initialize()).rejects.toMatchObject({
      message: expect.stringMatching(/no such column|has no column/),
    });
    expect(rowsOf(path, VERSIONS)).toEqual([{ component: 'event_store', version: 1 }]);
    expect(rowsOf(path, `SELECT name FROM pragma_table_info('relprim_events')`)).toHaveLength(5);
    other.exec('DROP TABLE relprim_reports');
    expect(await store.history()).toHaveLength(1);
    expect(rowsOf(path, VERSIONS)).toEqual(LATEST);
  });

  it('are shared with an edition that knows no calls and no reports', async () => {
    const path = freshPath();
    const other = lookInto(path);
    other.exec(`${OF_ANOTHER_EDITION} ${INSERT}`);
    const { store } = storeOn(path);
    store.emit(event({ callId: 'ours', at: '2026-01-01T00:00:00.251Z' }));
    await store.flush();
    other.exec(INSERT);
    const stored = await store.history();
    expect(stored.map(({ event: { callId, payload } }) => ({ callId, payload }))).toEqual(
      ['', 'ours', ''].map((callId) => ({ callId, payload: { attempt_number: 1, max_attempts: 3 } })),
    );
    expect(stored[0]?.event.timestamp).toEqual(new Date('2026-01-01T00:00:00.250Z'));
    expect(await store.deleteBefore(new Date('2026-01-01T00:00:00.251Z'))).toBe(2);
  });

  it('are made once where several stores begin at the same time', async () => {
    const path = freshPath();
    const stores = Array.from({ length: 5 }, () => storeOn(path).store);
    await Promise.all(stores.flatMap((store) => [store.initialize(), store.initialize()]));
    expect(rowsOf(path, VERSIONS)).toEqual(LATEST);
  });
});
