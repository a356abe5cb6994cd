import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, jest } from '@jest/globals';
import { EventEmitter, resilient } from '../../lib/index.js';
import { SqliteEventStore, type OpenSqlite } from '../../lib/adapters/sqlite.js';
import { describeWithSqlite, open, openReadOnly } from './driver.js';
import { countIn, event, freshPath, lookInto, numbered, numbersOf, storeOn } from './support.js';

afterEach(() => void jest.restoreAllMocks());

/** A disk that is as large as the test says. */
function disk() {
  const settings = { pages: 2_147_483_646 };
  const onDisk: OpenSqlite = (file) => {
    const database = open(file);
    return {
      exec: (sql) => {
        if (sql === 'BEGIN IMMEDIATE') database.exec(`PRAGMA max_page_count = ${settings.pages}`);
        return database.exec(sql);
      },
      prepare: (sql) => database.prepare(sql),
      close: () => database.close(),
    };
  };
  return { settings, open: onDisk };
}

/** A call whose events go to the store, as an application would have it. */
function callOn(store: SqliteEventStore) {
  return resilient({ name: 'charge', events: new EventEmitter({ sinks: [store] }) }, () =>
    Promise.resolve('receipt'),
  );
}

describeWithSqlite('calls go on, and trouble is said once,', () => {
  it('where the file can only be read, and what is in it is read', async () => {
    const file = freshPath();
    const before = storeOn(file).store;
    before.emit(event());
    await before.flush();
    const { store, clock, warnings } = storeOn(file, { open: openReadOnly });
    const call = callOn(store);
    for (let minute = 0; minute < 3; minute += 1) {
      expect((await call()).value).toBe('receipt');
      await clock.advance('1m');
    }
    expect(warnings).toEqual([
      expect.stringMatching(
        /^SQLite event store cannot write: .*\(attempt to write a readonly database\)\. Calls go on, and it is tried again$/,
      ),
    ]);
    expect(await store.history()).toHaveLength(1);
    await expect(store.flush()).rejects.toMatchObject({ message: 'attempt to write a readonly database' });
    expect(warnings).toHaveLength(1);
    expect(countIn(file)).toBe(1);
  });

  it('where the disk is full, and what waited is written when there is room again', async () => {
    const file = freshPath();
    const { settings, open: onDisk } = disk();
    const { store, clock, warnings } = storeOn(file, { open: onDisk, queueSize: 1_000 });
    await store.initialize();
    settings.pages = 1;
    const call = callOn(store);
    for (const each of numbered(990)) store.emit(each);
    for (let count = 0; count < 10; count += 1) expect((await call()).value).toBe('receipt');
    await clock.advance('3m');
    const full = 'SQLite event store cannot write: ';
    expect(warnings.filter((said) => said.startsWith(full))).toEqual([
      expect.stringContaining('(database or disk is full)'),
    ]);
    expect(store.dropped).toBe(30);
    expect(countIn(file)).toBe(0);
    settings.pages = 2_147_483_646;
    await clock.advance('5s');
    expect(warnings.at(-1)).toBe('SQLite event store writes again');
    expect(warnings).toHaveLength(3);
    expect(numbersOf(await store.history({ limit: 1_000, operationName: 'charge' })).slice(0, 990)).toEqual(
      Array.from({ length: 990 }, (_, index) => index + 1),
    );
    expect(countIn(file)).toBe(1_000);
    expect(clock.pendingTimers).toBe(0);
  });

  it('and said again where it comes back after it was over', async () => {
    const { settings, open: onDisk } = disk();
    const { store, clock, warnings } = storeOn(freshPath(), { open: onDisk });
    await store.initialize();
    const pages = settings.pages;
    for (let time = 0; time < 2; time += 1) {
      settings.pages = 1;
      for (const each of numbered(400)) store.emit(each);
      await clock.advance('250ms');
      settings.pages = pages;
      await clock.advance('5s');
    }
    expect(warnings.map((said) => said.includes('disk is full'))).toEqual([true, false, true, false]);
  });

  it('where somebody holds the lock: it is waited for on timers, and nothing is blocked', async () => {
    const file = freshPath();
    const { store, clock, warnings } = storeOn(file, { busyTimeout: '2s' });
    await store.initialize();
    const other = lookInto(file);
    other.exec('BEGIN IMMEDIATE');
    const startMs = performance.now();
    const call = callOn(store);
    expect((await call()).value).toBe('receipt');
    await clock.advance('250ms');
    await clock.advance('1990ms');
    expect(warnings).toEqual([]);
    await clock.advance('10ms');
    expect(warnings).toEqual([expect.stringContaining('(database is locked)')]);
    await clock.advance('4s');
    other.exec('COMMIT');
    await clock.advance('1s');
    expect(countIn(file)).toBe(4);
    expect(warnings).toHaveLength(2);
    expect(warnings[1]).toBe('SQLite event store writes again');
    expect(clock.pendingTimers).toBe(0);
    expect(performance.now() - startMs).toBeLessThan(4_000);
  });

  it('but for a lock that is free in time', async () => {
    const file = freshPath();
    const { store, clock, warnings } = storeOn(file);
    await store.initialize();
    const other = lookInto(file);
    other.exec('BEGIN IMMEDIATE');
    store.emit(event());
    const flushed = store.flush();
    await clock.advance('4s');
    expect(countIn(file)).toBe(0);
    other.exec('COMMIT');
    await clock.settle(flushed);
    expect(countIn(file)).toBe(1);
    // It was also written in its time, and whoever did that asks once more.
    await clock.advance('50ms');
    expect(countIn(file)).toBe(1);
    expect(warnings).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('where a lock is not waited for at all', async () => {
    const file = freshPath();
    const { store, clock } = storeOn(file, { busyTimeout: 0 });
    await store.initialize();
    const other = lookInto(file);
    other.exec('BEGIN IMMEDIATE');
    store.emit(event());
    await expect(store.flush()).rejects.toMatchObject({ message: 'database is locked' });
    expect(await store.history()).toEqual([]);
    other.exec('COMMIT');
    await clock.advance('10s');
    expect(await store.history()).toHaveLength(1);
  });

  it('where there is no such folder, and it is opened when there is one', async () => {
    const folder = `${freshPath()}-folder`;
    const { store, clock, warnings } = storeOn(path.join(folder, 'events.db'));
    store.emit(event());
    await clock.advance('1s');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^SQLite event store cannot write: /);
    mkdirSync(folder);
    await clock.advance('5s');
    expect(warnings[1]).toBe('SQLite event store writes again');
    expect(await store.history()).toHaveLength(1);
  });

  it('where the file is no database, and it is left as it is', async () => {
    const file = freshPath();
    const { store, warnings } = storeOn(import.meta.filename);
    store.emit(event());
    await expect(store.flush()).rejects.toMatchObject({ message: 'file is not a database' });
    await expect(store.history()).rejects.toMatchObject({ message: 'file is not a database' });
    expect(warnings).toHaveLength(1);
    expect(file).not.toBe(import.meta.filename);
  });

  it('where it is tried again every five seconds, and not sooner however much comes', async () => {
    const openedMs: number[] = [];
    const { store, clock } = storeOn(freshPath(), {
      open: () => {
        openedMs.push(clock.monotonicMs());
        throw new RangeError('no such disk');
      },
    });
    store.emit(event());
    await clock.advance('1s');
    for (const each of numbered(500)) store.emit(each);
    await clock.advance('10s');
    expect(openedMs).toEqual([250, 5_250, 10_250]);
  });

  it('where a fresh connection can do what the old one could not', async () => {
    const file = freshPath();
    await storeOn(file).store.initialize();
    let connections = 0;
    const { store, clock, warnings } = storeOn(file, {
      open: (path) => ((connections += 1) === 1 ? openReadOnly : open)(path),
    });
    store.emit(event());
    await clock.advance('6s');
    expect(await store.history()).toHaveLength(1);
    expect([connections, warnings.length]).toEqual([2, 2]);
  });

  it('but for a batch that is disturbed at its end: it is written again, and once', async () => {
    let commits = 0;
    const { store, clock, warnings } = storeOn(freshPath(), {
      open: (file) => {
        const database = open(file);
        return {
          exec: (sql) => {
            // The first one is that of the tables.
            if (sql === 'COMMIT' && (commits += 1) === 2)
              throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY_SNAPSHOT' });
            return database.exec(sql);
          },
          prepare: (sql) => database.prepare(sql),
          close: () => database.close(),
        };
      },
    });
    for (const each of numbered(3)) store.emit(each);
    await clock.advance('1s');
    const stored = await store.history();
    expect(stored.map(({ sequenceId }) => sequenceId)).toEqual([1, 2, 3]);
    expect([commits, warnings]).toEqual([3, []]);
  });

  it('as a warning of the process where nobody else is to be told', async () => {
    const told = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const store = new SqliteEventStore({
      path: freshPath(),
      open: () => {
        throw new RangeError('no such disk');
      },
    });
    store.emit(event());
    await expect(store.flush()).rejects.toThrow('no such disk');
    await expect(store.flush()).rejects.toThrow('no such disk');
    expect(told.mock.calls).toEqual([
      [
        'SQLite event store cannot write: RangeError (no such disk). Calls go on, and it is tried again',
        { code: 'RELPRIM_SQLITE' },
      ],
    ]);
    await expect(store.close()).rejects.toThrow('no such disk');
    await store.onApplicationShutdown();
  });
});
