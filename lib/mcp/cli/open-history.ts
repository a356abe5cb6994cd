import type { ExecutionHistory } from '../history/execution-history.js';

/** A history in a file, which is to be closed. */
export interface OpenHistory extends ExecutionHistory {
  close(): Promise<void>;
}

interface SqliteDoor {
  readonly SqliteEventStore: new (options: { path: string }) => OpenHistory & { initialize(): Promise<void> };
}

/** @throws what the store says of a file that cannot be opened, or of a driver that is not there. */
export async function openHistory(path: string): Promise<OpenHistory> {
  // Not a literal: doors do not know each other, and only this command, which is none, brings two together.
  const door: string = '../../adapters/sqlite.js';
  const { SqliteEventStore } = (await import(door)) as SqliteDoor;
  const store = new SqliteEventStore({ path });
  await store.initialize();
  return store;
}
