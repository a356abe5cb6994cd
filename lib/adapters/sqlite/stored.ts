import { checkCount } from '../../errors/check.js';
import { StructuredEvent, type AnyEvent } from '../../events/structured-event.js';
import type { ExecutionReport, ExecutionReportJson } from '../../report/execution-report.js';
import { reportFromJson } from '../../report/report-from-json.js';

/** An event as it stands in the file. */
export class StoredEvent {
  /** Its place in the file, from 1. Later events have greater numbers; a number is never given twice. */
  readonly sequenceId: number;
  readonly event: AnyEvent;

  /** @throws {ConfigurationError} for a number below 1. */
  constructor(sequenceId: number, event: AnyEvent) {
    this.sequenceId = checkCount('sequenceId', sequenceId, 1);
    this.event = event;
    Object.freeze(this);
  }
}

/** A report as it stands in the file. */
export class StoredReport {
  /** Its place in the file, from 1. Reports are counted apart from events. */
  readonly sequenceId: number;
  readonly report: ExecutionReport;

  /** @throws {ConfigurationError} for a number below 1. */
  constructor(sequenceId: number, report: ExecutionReport) {
    this.sequenceId = checkCount('sequenceId', sequenceId, 1);
    this.report = report;
    Object.freeze(this);
  }
}

export interface EventRow {
  readonly sequence_id: number;
  readonly event_type: AnyEvent['eventType'];
  readonly operation_name: string;
  readonly timestamp: string;
  readonly payload_json: string;
  readonly call_id: string;
}

export function storedEvent(row: EventRow): StoredEvent {
  const event = new StructuredEvent({
    eventType: row.event_type,
    operationName: row.operation_name,
    timestamp: new Date(row.timestamp),
    payload: JSON.parse(row.payload_json) as AnyEvent['payload'],
    callId: row.call_id,
  });
  return new StoredEvent(row.sequence_id, event as unknown as AnyEvent);
}

export interface ReportRow {
  readonly sequence_id: number;
  readonly report_json: string;
}

export function storedReport(row: ReportRow): StoredReport {
  return new StoredReport(
    row.sequence_id,
    reportFromJson(JSON.parse(row.report_json) as ExecutionReportJson),
  );
}
