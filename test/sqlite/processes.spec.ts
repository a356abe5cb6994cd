import { expect, it } from '@jest/globals';
import { childProcesses } from '../support/child-processes.js';
import { describeWithSqlite, peerFolder } from './driver.js';
import { event, freshPath, numbersOf, rowsOf, storeOn } from './support.js';

const BATCH = 200;

describeWithSqlite('processes that write to an SQLite file', () => {
  const { runModule } = childProcesses('sqlite');
  const env = { RELPRIM_BETTER_SQLITE3: peerFolder };
  const flags = ['--disable-warning=ExperimentalWarning', '--expose-gc'];
  const beside = ['test/sqlite/find-driver.ts'];

  const start = (source: string, ...args: string[]) =>
    runModule(`test/sqlite/children/${source}.ts`, { args, env, flags, beside });

  /** Runs a writer to its end; gives the number up to which it knows that its events are in the file. */
  async function write(orders: object): Promise<{ readonly code: unknown; readonly flushed: number }> {
    const { code, stdout, stderr } = await start('writer', JSON.stringify({ name: 'writer', ...orders }));
    expect(stderr).toBe('');
    return { code, flushed: Number(stdout.trim().split('\n').at(-1)) };
  }

  /** What somebody finds who comes later: all up to some number, nothing twice, and the file is whole. */
  async function find(file: string): Promise<number> {
    const { store, warnings } = storeOn(file);
    const numbers = numbersOf(await store.history({ limit: 100_000 }));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    store.emit(event({ payload: { attempt_number: numbers.length + 1, max_attempts: 1 } }));
    await store.close();
    expect(warnings).toEqual([]);
    expect(rowsOf(file, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    return numbers.length;
  }

  it.each([
    ['begun', 600],
    ['in the middle', 600],
    ['before commit', 600],
    ['committed', 800],
  ])('lose the batch that was being written and no more when they are killed: %s', async (at, found) => {
    const file = freshPath();
    await storeOn(file).store.initialize();
    const { code, flushed } = await write({
      file,
      events: 5_000,
      perFlush: BATCH,
      dies: { batch: 4, at },
    });
    expect({ code, flushed }).toEqual({ code: null, flushed: 600 });
    expect(await find(file)).toBe(found);
  });

  it('can be killed at any moment, again and again', async () => {
    const file = freshPath();
    let there = 0;
    for (const diesAfterMs of [15, 40, 70, 110, 160]) {
      const orders = { file, first: there + 1, events: 1e6, perFlush: 700, diesAfterMs };
      const { code, flushed } = await write(orders);
      expect(code).toBeNull();
      const found = await find(file);
      expect(found).toBeGreaterThanOrEqual(Math.max(there, flushed));
      expect(found - Math.max(there, flushed)).toBeLessThanOrEqual(700);
      there = found + 1;
    }
    expect(there).toBeGreaterThan(5);
  });

  it('write two at a time: nothing is lost, and each in its own order', async () => {
    const file = freshPath();
    const orders = { file, events: 5_000, perFlush: 100 };
    const ended = await Promise.all([
      write({ ...orders, name: 'one', meets: 'two' }),
      write({ ...orders, name: 'two', meets: 'one' }),
    ]);
    expect(ended).toEqual([1, 2].map(() => ({ code: 0, flushed: 5_000 })));
    const stored = await storeOn(file).store.history({ limit: 20_000 });
    expect(stored.map(({ sequenceId }) => sequenceId)).toEqual(stored.map((_, index) => index + 1));
    const upTo = Array.from({ length: 5_000 }, (_, index) => index + 1);
    const from = (name: string) => stored.filter(({ event: { operationName } }) => operationName === name);
    for (const name of ['one', 'two']) expect(numbersOf(from(name))).toEqual(upTo);
    // They took turns, rather than one after the other.
    const first = stored[0]?.event.operationName;
    expect(stored.findIndex(({ event: { operationName } }) => operationName !== first)).toBeLessThan(5_000);
  });

  it('end by themselves as if there were no store, and what waits is written then', async () => {
    const file = freshPath();
    const ended = await start('leaver', file);
    expect(ended).toEqual({ code: 0, stdout: 'ended within a second: true\n', stderr: '' });
    expect(rowsOf(file, 'SELECT operation_name FROM relprim_events')).toEqual([
      { operation_name: 'last words' },
    ]);
  });

  it('hold no store that nobody else holds, and that has written everything', async () => {
    const ended = await start('forgetful', freshPath());
    expect(ended).toEqual({ code: 0, stdout: 'stores left: 0\n', stderr: '' });
  });

  it('find the driver by themselves, and say what to install where there is none', async () => {
    const { code, stdout, stderr } = await start('default-driver', freshPath());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      name: 'ConfigurationError',
      message:
        'SqliteEventStore has no driver: this Node has no node:sqlite, and better-sqlite3 is not installed; ' +
        'run `npm install better-sqlite3@12`, use Node 22.13 or later, or give `open`',
      stored: [],
      warnings: [],
    });
  });
});
