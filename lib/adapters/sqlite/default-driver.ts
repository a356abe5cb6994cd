import { ConfigurationError } from '../../errors/configuration-error.js';
import type { OpenSqlite, SqliteDatabase } from './sqlite-database.js';

type DatabaseClass = new (path: string) => SqliteDatabase;

/**
 * `node:sqlite` where this Node has it, else the optional peer.
 * @throws {ConfigurationError} where neither is there.
 */
export async function defaultDriver(): Promise<OpenSqlite> {
  const Database = ofNode() ?? (await ofPeer());
  return (path) => new Database(path);
}

function ofNode(): DatabaseClass | undefined {
  const module = process.getBuiltinModule('node:sqlite') as { DatabaseSync: DatabaseClass } | undefined;
  return module?.DatabaseSync;
}

async function ofPeer(): Promise<DatabaseClass> {
  // Not a literal: neither compilers nor bundlers are to look for what need not be there.
  const name: string = 'better-sqlite3';
  try {
    // A dynamic import is found from this file in both halves of the package, and becomes a `require` in one of them.
    const peer = (await import(name)) as { readonly default: DatabaseClass };
    return peer.default;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new ConfigurationError({
      option: 'SqliteEventStore',
      problem: 'has no driver: this Node has no node:sqlite, and better-sqlite3 is not installed',
      cure: 'run `npm install better-sqlite3@12`, use Node 22.13 or later, or give `open`',
    });
  }
}

function isMissing(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
