// A process that writes events to a file, and dies where it is told to.
import { existsSync, writeFileSync, writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { StructuredEvent } from '../../../lib/index.js';
import { SqliteEventStore, type SqliteDatabase } from '../../../lib/adapters/sqlite.js';
import { open } from '../find-driver.js';

interface Orders {
  readonly file: string;
  readonly name: string;
  /** Events, of which so many are told between two flushes. */
  readonly events: number;
  readonly perFlush: number;
  readonly first?: number;
  /** In which transaction it dies, and where in it. */
  readonly dies?: { readonly batch: number; readonly at: string };
  /** After so many milliseconds it dies, wherever it is. */
  readonly diesAfterMs?: number;
  /** Who is waited for before it begins. */
  readonly meets?: string;
}

const orders = JSON.parse(process.argv[2] ?? '') as Orders;
const { file, name, events, perFlush, first = 1, dies, diesAfterMs, meets } = orders;

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** A database of somebody who dies. */
function openDeadly(path: string): SqliteDatabase {
  const database = open(path);
  let [batch, inserts] = [0, 0];
  const isNow = (at: string): boolean => dies?.batch === batch && dies.at === at;
  return {
    exec(sql) {
      if (sql === 'BEGIN IMMEDIATE') [batch, inserts] = [batch + 1, 0];
      if (sql === 'COMMIT' && isNow('before commit')) die();
      const done = database.exec(sql);
      if (sql === 'BEGIN IMMEDIATE' && isNow('begun')) die();
      if (sql === 'COMMIT' && isNow('committed')) die();
      return done;
    },
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        all: (...values) => statement.all(...values),
        run(...values) {
          inserts += 1;
          if (inserts === 100 && isNow('in the middle')) die();
          return statement.run(...values);
        },
      };
    },
    close: () => database.close(),
  };
}

if (diesAfterMs !== undefined)
  new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${diesAfterMs})`, { eval: true });
if (meets !== undefined) {
  writeFileSync(`${file}.${name}`, '');
  while (!existsSync(`${file}.${meets}`)) await new Promise((resolve) => setTimeout(resolve, 1));
}

const store = new SqliteEventStore({
  path: file,
  open: openDeadly,
  warn: (message) => console.error(message),
});
// The transaction of the tables is none of those that are counted.
for (let told = 0; told < events;) {
  for (let count = 0; count < perFlush; count += 1) {
    const event = new StructuredEvent({
      eventType: 'attempt.started',
      operationName: name,
      timestamp: new Date(),
      payload: { attempt_number: first + told, max_attempts: 1 },
    });
    store.emit(event);
    told += 1;
  }
  await store.flush();
  // At once, as nothing else that is printed survives a kill.
  writeSync(1, `${first + told - 1}\n`);
}
await store.close();
