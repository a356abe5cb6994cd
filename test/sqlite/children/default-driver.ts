// Uses the driver that the store finds by itself: none at first, then the one of this Node.
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { SqliteEventStore } from '../../../lib/adapters/sqlite.js';
import { peerFolder } from '../find-driver.js';

const [, , file = ''] = process.argv;
const warnings: string[] = [];
const makeStore = (): SqliteEventStore =>
  new SqliteEventStore({ path: file, warn: (message) => void warnings.push(message) });

const { getBuiltinModule } = process;
process.getBuiltinModule = () => undefined;
const without: unknown = await makeStore()
  .initialize()
  .catch((error: unknown) => error);
const { name, message } = without as Error;

process.getBuiltinModule = getBuiltinModule;
if (peerFolder !== undefined) {
  const packages = path.resolve(import.meta.dirname, '../../../node_modules');
  mkdirSync(packages);
  symlinkSync(peerFolder, path.join(packages, 'better-sqlite3'));
}
const store = makeStore();
await store.initialize();
const stored = await store.history();
await store.close();
console.log(JSON.stringify({ name, message, stored, warnings }));
