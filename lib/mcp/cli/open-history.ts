import { ConfigurationError } from '../../errors/configuration-error.js';
import type { ExecutionHistory } from '../history/execution-history.js';

/** A history in a file, which is to be closed. */
export interface OpenHistory extends ExecutionHistory {
  close(): Promise<void>;
}

interface SqliteDoor {
  readonly SqliteEventStore: new (options: { path: string }) => OpenHistory & { initialize(): Promise<void> };
}

/** @throws {Error} with what the store says of a file that cannot be used, or of a driver that is not there. */
export async function openHistory(path: string): Promise<OpenHistory> {
  // By its public name and not a literal: doors do not know each other, and only this command, which is none, brings two together.
  const door: string = 'relprim/sqlite';
  const { SqliteEventStore } = (await import(door)) as SqliteDoor;
  try {
    const store = new SqliteEventStore({ path });
    await store.initialize();
    return store;
  } catch (error) {
    // A driver that is not there, or a name that is none: what to do stands in it.
    if (error instanceof ConfigurationError)
      throw new Error(`--history: ${error.problem}; ${error.cure}`, { cause: error });
    const why = error instanceof Error ? error.message : 'it failed';
    throw new Error(
      `--history: ${JSON.stringify(path)} cannot be used: ${why}\n` +
        'Give an SQLite file of this command, or a new one in a folder that is there and may be written; or leave it out.',
      { cause: error },
    );
  }
}
