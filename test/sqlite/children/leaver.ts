// Tells the store something, leaves it open, and must end by itself at once, with what it told in the file.
import { StructuredEvent } from '../../../lib/index.js';
import { SqliteEventStore } from '../../../lib/adapters/sqlite.js';
import { open } from '../find-driver.js';

const [, , path = ''] = process.argv;
const store = new SqliteEventStore({ path, open, flushInterval: '1h' });
const event = new StructuredEvent({
  eventType: 'attempt.started',
  operationName: 'last words',
  timestamp: new Date(),
  payload: { attempt_number: 1, max_attempts: 1 },
});
await store.history();
store.emit(event);
const startMs = performance.now();
process.on('exit', () => console.log(`ended within a second: ${performance.now() - startMs < 1_000}`));
