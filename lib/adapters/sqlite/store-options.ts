import {
  checkCount,
  checkDuration,
  checkDurationOrZero,
  checkFunction,
  checkName,
  checkOptions,
  checkTimeOptions,
  refuse,
  type TimeOptions,
} from '../../errors/check.js';
import { systemClock } from '../../time/clock.js';
import type { Duration } from '../../time/duration.js';
import type { OpenSqlite } from './sqlite-database.js';

/** Options of {@link SqliteEventStore}. */
export interface SqliteEventStoreOptions extends Pick<TimeOptions, 'clock'> {
  /** The file, made when it is first needed, in a folder that exists. Processes may share it. Not in memory. */
  readonly path: string;
  /** How long the lock of another process is waited for. May be 0. Default 5 s. The event loop goes on meanwhile. */
  readonly busyTimeout?: Duration | undefined;
  /** How long something waits before it is written, unless much comes. Default 250 ms. */
  readonly flushInterval?: Duration | undefined;
  /** How many events and reports may wait; further ones are dropped and counted. Default 10,000. */
  readonly queueSize?: number | undefined;
  /** Opens the file. Default: `node:sqlite`, or `better-sqlite3` on a Node that has none. */
  readonly open?: OpenSqlite | undefined;
  /** Where trouble is told. Default: a process warning. */
  readonly warn?: ((message: string) => void) | undefined;
}

const OPTIONS: readonly (keyof SqliteEventStoreOptions)[] = [
  'path',
  'busyTimeout',
  'flushInterval',
  'queueSize',
  'open',
  'warn',
  'clock',
];

/** The same, checked. @throws {ConfigurationError} for what cannot work. */
export function checkStoreOptions(options: SqliteEventStoreOptions) {
  checkOptions('SqliteEventStore', options, OPTIONS);
  checkTimeOptions(options);
  const { open, warn = warnProcess, clock = systemClock } = options;
  const { busyTimeout = 5, flushInterval = 0.25, queueSize = 10_000 } = options;
  return {
    path: checkPath(options.path),
    open: open === undefined ? undefined : checkFunction('open', open),
    busyTimeoutMs: checkDurationOrZero('busyTimeout', busyTimeout),
    flushIntervalMs: checkDuration('flushInterval', flushInterval),
    queueSize: checkCount('queueSize', queueSize, 1),
    warn: checkFunction('warn', warn),
    clock,
  };
}

function checkPath(path: unknown): string {
  const text = checkName('path', path);
  if (text === ':memory:' || text.startsWith('file:'))
    refuse('path', path, "give the path of a file, not ':memory:' or a file: address");
  return text;
}

function warnProcess(message: string): void {
  process.emitWarning(message, { code: 'RELPRIM_SQLITE' });
}
