// Makes stores, lets each write and lets go of it, and says how many are still there.
import { StructuredEvent } from '../../../lib/index.js';
import { SqliteEventStore, type OpenSqlite } from '../../../lib/adapters/sqlite.js';
import { open } from '../find-driver.js';

const [, , path = ''] = process.argv;
const event = new StructuredEvent({
  eventType: 'attempt.started',
  operationName: 'charge',
  timestamp: new Date(),
  payload: { attempt_number: 1, max_attempts: 1 },
});
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** What is watched is a function that all parts of a store have. */
function useOne(): WeakRef<OpenSqlite> {
  const openOne: OpenSqlite = (file) => open(file);
  const store = new SqliteEventStore({ path, open: openOne, flushInterval: '1ms' });
  store.emit(event);
  return new WeakRef(openOne);
}

const made = Array.from({ length: 10 }, useOne);
await pause(200);
for (let turn = 0; turn < 5; turn += 1) {
  (globalThis as unknown as { gc(): void }).gc();
  await pause(5);
}
console.log(`stores left: ${made.filter((part) => part.deref() !== undefined).length}`);
