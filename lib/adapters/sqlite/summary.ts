import type { SqliteDatabase } from './sqlite-database.js';

/** What the file says of the calls of one operation. Cancelled calls prove nothing, and are left out. */
export interface StoredSummary {
  readonly operationName: string;
  /** Calls that executed: those that joined another one, or were given an earlier result, are no work of their own. */
  readonly calls: number;
  readonly succeeded: number;
  /** Failed and timed out. */
  readonly failed: number;
  /** From 0 to 1. */
  readonly failureRate: number;
  /** Of all these calls, with refused ones and the fallback attempt. */
  readonly attempts: number;
  readonly retries: number;
  /** Calls that a fallback answered. */
  readonly fallbacksUsed: number;
  /** Half of the calls took no longer. */
  readonly p50Seconds: number;
  /** 99 of 100 calls took no longer. */
  readonly p99Seconds: number;
}

/** A call is counted by its report where that is stored, else by its last event. */
const SUMMARY = `
  WITH ended (operation_name, succeeded, seconds, attempts, retries, fallback) AS (
    SELECT operation_name, status = 'succeeded', duration_seconds,
      json_extract(report_json, '$.attempt_count'), json_extract(report_json, '$.retry_count'),
      json_extract(report_json, '$.metadata.fallback_used')
    FROM relprim_reports
    WHERE ended_at >= ? AND status <> 'cancelled'
      AND coalesce(json_extract(report_json, '$.metadata.idempotency_status'), 'executed') = 'executed'
    UNION ALL
    SELECT operation_name, event_type = 'operation.succeeded', json_extract(payload_json, '$.duration_seconds'),
      json_extract(payload_json, '$.attempt_count'), json_extract(payload_json, '$.retry_count'),
      json_extract(payload_json, '$.fallback_used')
    FROM relprim_events AS event
    WHERE timestamp >= ? AND event_type IN ('operation.succeeded', 'operation.failed')
      AND NOT EXISTS (
        SELECT 1 FROM relprim_reports AS report WHERE event.call_id <> '' AND report.call_id = event.call_id)
  ),
  ranked AS (
    SELECT *, count(*) OVER (PARTITION BY operation_name) AS calls,
      row_number() OVER (PARTITION BY operation_name ORDER BY seconds) AS place
    FROM ended
  )
  SELECT operation_name, calls, sum(succeeded) AS succeeded, sum(attempts) AS attempts, sum(retries) AS retries,
    sum(succeeded AND coalesce(fallback, 0)) AS fallbacks,
    min(CASE WHEN place * 100 >= calls * 50 THEN seconds END) AS p50,
    min(CASE WHEN place * 100 >= calls * 99 THEN seconds END) AS p99
  FROM ranked GROUP BY operation_name ORDER BY operation_name`;

interface SummaryRow {
  readonly operation_name: string;
  readonly calls: number;
  readonly succeeded: number;
  readonly attempts: number;
  readonly retries: number;
  readonly fallbacks: number;
  readonly p50: number;
  readonly p99: number;
}

export function readSummary(database: SqliteDatabase, since: string): readonly StoredSummary[] {
  const rows = database.prepare(SUMMARY).all(since, since) as SummaryRow[];
  return rows.map((row) => ({
    operationName: row.operation_name,
    calls: row.calls,
    succeeded: row.succeeded,
    failed: row.calls - row.succeeded,
    failureRate: (row.calls - row.succeeded) / row.calls,
    attempts: row.attempts,
    retries: row.retries,
    fallbacksUsed: row.fallbacks,
    p50Seconds: row.p50,
    p99Seconds: row.p99,
  }));
}
