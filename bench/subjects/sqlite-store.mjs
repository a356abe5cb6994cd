// A store on a file of its own, where this Node has a driver: see scripts/install-better-sqlite3.mjs.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SqliteEventStore } from 'relprim/sqlite';

/** Events of one call that goes well. */
const EVENTS = 4;
const QUEUE = 10_000;

/** The subject's part of it: what calls tell is written between the rounds, as an application's would be between calls. */
export function sqliteStore() {
  const open = driver();
  if (open === undefined) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'relprim-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const store = new SqliteEventStore({ path: path.join(folder, 'events.db'), open, queueSize: QUEUE });
  const rest = async () => {
    await store.flush();
    // What the writing leaves behind is not to be tidied up while calls are measured.
    globalThis.gc({ type: 'minor' });
  };
  return { store, mostCalls: QUEUE / EVENTS, rest };
}

function driver() {
  const ofNode = process.getBuiltinModule('node:sqlite');
  if (ofNode !== undefined) return (file) => new ofNode.DatabaseSync(file);
  try {
    const Database = createRequire(new URL('../../.matrix/sqlite/package.json', import.meta.url))(
      'better-sqlite3',
    );
    return (file) => new Database(file);
  } catch {
    return undefined;
  }
}
