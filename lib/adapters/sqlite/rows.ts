import type { AnyEvent } from '../../events/structured-event.js';
import type { ExecutionReport } from '../../report/execution-report.js';
import { canonicalJson } from './canonical-json.js';
import type { SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite-database.js';
import { wallText } from './wall-text.js';

/** What is told, and becomes a row. */
export type Told = AnyEvent | ExecutionReport;

const INSERT_EVENT = `INSERT INTO relprim_events (event_type, operation_name, timestamp, payload_json, call_id)
  VALUES (?, ?, ?, ?, ?)`;
const INSERT_REPORT = `INSERT INTO relprim_reports
  (call_id, operation_name, status, ended_at, duration_seconds, report_json) VALUES (?, ?, ?, ?, ?, ?)`;

/** What is written for one thing that was told. It holds nothing of the call. */
export class Row {
  constructor(
    private readonly sql: string,
    private readonly values: readonly SqliteValue[],
  ) {}

  /** @throws {ConfigurationError} for what cannot be written as it is. */
  static of(told: Told): Row {
    return 'eventType' in told ? eventRow(told) : reportRow(told);
  }

  insert(statements: Statements): void {
    statements.of(this.sql).run(...this.values);
  }
}

function eventRow(event: AnyEvent): Row {
  return new Row(INSERT_EVENT, [
    event.eventType,
    event.operationName,
    wallText('timestamp', event.timestamp),
    canonicalJson('payload', event.payload),
    event.callId,
  ]);
}

function reportRow(report: ExecutionReport): Row {
  const { callId, operationName, status, startedAt, durationSeconds } = report;
  const endedAt = new Date(startedAt.getTime() + durationSeconds * 1_000);
  const json = canonicalJson('report', report.toJSON());
  return new Row(INSERT_REPORT, [
    callId,
    operationName,
    status,
    wallText('endedAt', endedAt),
    durationSeconds,
    json,
  ]);
}

/** The statements of one batch, each prepared once. */
export class Statements {
  private readonly prepared = new Map<string, SqliteStatement>();

  constructor(private readonly database: SqliteDatabase) {}

  of(sql: string): SqliteStatement {
    let statement = this.prepared.get(sql);
    if (statement === undefined) this.prepared.set(sql, (statement = this.database.prepare(sql)));
    return statement;
  }
}
