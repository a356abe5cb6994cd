import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { OpenSqlite, SqliteDatabase } from '../../lib/adapters/sqlite.js';

type DatabaseClass = new (path: string, options?: object) => SqliteDatabase;

const root = path.resolve(import.meta.dirname, '../..');

/** Where better-sqlite3 may be. It is no development dependency: to install it, a compiler has a minute of work. */
const PLACES = [
  process.env['RELPRIM_BETTER_SQLITE3'] ?? '',
  path.join(root, 'node_modules/better-sqlite3'),
  path.join(root, '.matrix/sqlite/node_modules/better-sqlite3'),
];

const ofNode = process.getBuiltinModule('node:sqlite') as { DatabaseSync: DatabaseClass } | undefined;
export const hasNodeSqlite = ofNode !== undefined;

/** The folder of the peer, where this Node needs it and it is there. */
export const peerFolder = hasNodeSqlite
  ? undefined
  : PLACES.find((place) => place !== '' && existsSync(path.join(place, 'build/Release')));

/** What the default driver would find in an application; `undefined` where there is none. */
export const Database =
  ofNode?.DatabaseSync ??
  (peerFolder === undefined ? undefined : (createRequire(import.meta.url)(peerFolder) as DatabaseClass));

export const open: OpenSqlite = (file) => new (Database as DatabaseClass)(file);

/** The two drivers spell it differently. */
const READ_ONLY = hasNodeSqlite ? { readOnly: true } : { readonly: true };
export const openReadOnly: OpenSqlite = (file) => new (Database as DatabaseClass)(file, READ_ONLY);
