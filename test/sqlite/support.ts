import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach } from '@jest/globals';
import { StructuredEvent, type AnyEvent } from '../../lib/index.js';
import {
  SqliteEventStore,
  type SqliteDatabase,
  type SqliteEventStoreOptions,
} from '../../lib/adapters/sqlite.js';
import { FakeClock } from '../../lib/testing/index.js';
import { open } from './driver.js';

const folder = mkdtempSync(path.join(tmpdir(), 'relprim-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

/** A file that no other test uses. */
export function freshPath(): string {
  return path.join(folder, `${(files += 1)}.db`);
}

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

/** A store on a clock of its own, and what it complained about. */
export function storeOn(file: string, options: Partial<SqliteEventStoreOptions> = {}) {
  const clock = new FakeClock();
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const store = new SqliteEventStore({ path: file, open, clock, warn, ...options });
  opened.push({ close: () => clock.settle(store.close()).catch(() => undefined) });
  return { store, clock, warnings };
}

/** The file as somebody else sees it. */
export function lookInto(file: string): SqliteDatabase {
  const database = open(file);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) database.close();
    isOpen = false;
  };
  opened.push({ close });
  return { exec: (sql) => database.exec(sql), prepare: (sql) => database.prepare(sql), close };
}

/** Rows as plain objects, whichever driver they come from. */
export function rowsOf(file: string, sql: string): object[] {
  const database = lookInto(file);
  const rows = database.prepare(sql).all();
  database.close();
  return rows.map((row) => ({ ...(row as object) }));
}

export function countIn(file: string, table = 'relprim_events'): number {
  const [row] = rowsOf(file, `SELECT count(*) AS count FROM ${table}`);
  return (row as { count: number }).count;
}

export interface EventParts {
  readonly type?: AnyEvent['eventType'];
  readonly operation?: string;
  readonly at?: string;
  readonly payload?: object;
  readonly callId?: string;
}

/** An event of a hand-made call. */
export function event(parts: EventParts = {}): AnyEvent {
  const { type = 'attempt.started', operation = 'charge', at = '2026-01-01T00:00:00.250Z', callId } = parts;
  const payload = (parts.payload ?? { attempt_number: 1, max_attempts: 3 }) as AnyEvent['payload'];
  const timestamp = new Date(at);
  return new StructuredEvent({
    eventType: type,
    operationName: operation,
    timestamp,
    payload,
    ...(callId !== undefined && { callId }),
  }) as unknown as AnyEvent;
}

/** Events whose payloads carry their numbers. */
export function numbered(count: number, first = 1): AnyEvent[] {
  return Array.from({ length: count }, (_, index) =>
    event({ payload: { attempt_number: first + index, max_attempts: 3 } }),
  );
}

export function numbersOf(stored: readonly { readonly event: AnyEvent }[]): number[] {
  return stored.map(({ event: { payload } }) => (payload as { attempt_number: number }).attempt_number);
}
