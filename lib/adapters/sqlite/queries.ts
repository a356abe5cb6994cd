import { checkCount, checkName, checkOptions, refuse } from '../../errors/check.js';
import type { EventType } from '../../events/event-types.js';
import type { ExecutionStatus } from '../../report/execution-report.js';
import type { SqliteDatabase, SqliteValue } from './sqlite-database.js';

/** Which rows, and how many of them. What is left out does not narrow; what is given must all be so. */
export interface PageOptions {
  /** Of this operation. */
  readonly operationName?: string | undefined;
  /** Of this one call. */
  readonly callId?: string | undefined;
  /** Beyond this number, itself excluded: the last one of the page before. */
  readonly afterSequenceId?: number | undefined;
  /** The most rows. Default 100. */
  readonly limit?: number | undefined;
  /** Default `'oldest-first'`. With `'newest-first'`, `afterSequenceId` is where the page before went down to. */
  readonly order?: 'oldest-first' | 'newest-first' | undefined;
}

/** Which events. */
export interface HistoryOptions extends PageOptions {
  /** Of these types. An empty list gives nothing. */
  readonly eventTypes?: readonly EventType[] | undefined;
}

/** Which reports. */
export interface ReportsOptions extends PageOptions {
  /** Of calls that ended so. An empty list gives nothing. */
  readonly statuses?: readonly ExecutionStatus[] | undefined;
}

const PAGE_OPTIONS = ['operationName', 'callId', 'afterSequenceId', 'limit', 'order'];

/** A question that has been checked; `undefined` when nothing can be an answer. */
export type Query<Row> = ((database: SqliteDatabase) => readonly Row[]) | undefined;

/** @throws {ConfigurationError} for options that make no sense. */
export function historyQuery<Row>(options: HistoryOptions): Query<Row> {
  checkOptions('history', options, [...PAGE_OPTIONS, 'eventTypes']);
  const columns = 'sequence_id, event_type, operation_name, timestamp, payload_json, call_id';
  const kinds = checkKinds('eventTypes', options.eventTypes);
  return pageQuery(`${columns} FROM relprim_events`, { column: 'event_type', kinds }, options);
}

/** @throws {ConfigurationError} for options that make no sense. */
export function reportsQuery<Row>(options: ReportsOptions): Query<Row> {
  checkOptions('reports', options, [...PAGE_OPTIONS, 'statuses']);
  const kinds = checkKinds('statuses', options.statuses);
  return pageQuery('sequence_id, report_json FROM relprim_reports', { column: 'status', kinds }, options);
}

interface Kinds {
  readonly column: string;
  readonly kinds: readonly string[] | undefined;
}

function pageQuery<Row>(what: string, { column, kinds }: Kinds, options: PageOptions): Query<Row> {
  const { operationName, callId, afterSequenceId, limit = 100, order = 'oldest-first' } = options;
  if (order !== 'oldest-first' && order !== 'newest-first')
    refuse('order', order, "give 'oldest-first' or 'newest-first'");
  const conditions: string[] = [];
  const values: SqliteValue[] = [];
  const narrow = (condition: string, ...given: readonly SqliteValue[]): void => {
    conditions.push(condition);
    values.push(...given);
  };
  if (operationName !== undefined) narrow('operation_name = ?', checkName('operationName', operationName));
  if (callId !== undefined) narrow('call_id = ?', checkName('callId', callId));
  if (kinds !== undefined) narrow(`${column} IN (${kinds.map(() => '?').join()})`, ...kinds);
  if (afterSequenceId !== undefined) {
    const beyond = order === 'oldest-first' ? '>' : '<';
    narrow(`sequence_id ${beyond} ?`, checkCount('afterSequenceId', afterSequenceId, 0));
  }
  values.push(checkCount('limit', limit, 1));
  if (kinds?.length === 0) return undefined;
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const direction = order === 'oldest-first' ? 'ASC' : 'DESC';
  const sql = `SELECT ${what} ${where} ORDER BY sequence_id ${direction} LIMIT ?`;
  return (database) => database.prepare(sql).all(...values) as readonly Row[];
}

function checkKinds(option: string, kinds: unknown): readonly string[] | undefined {
  if (kinds === undefined) return undefined;
  if (!Array.isArray(kinds)) return refuse(option, kinds, 'give a list');
  return kinds.map((kind, index) => checkName(`${option}[${index}]`, kind));
}
