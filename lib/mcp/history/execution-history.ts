import type { ExecutionReport, ExecutionStatus } from '../../report/execution-report.js';

/** Which reports are asked for. */
export interface ReportQuery {
  readonly callId?: string | undefined;
  readonly statuses?: readonly ExecutionStatus[] | undefined;
  readonly limit?: number | undefined;
  readonly order?: 'newest-first' | undefined;
}

/** Where the reports of calls are kept and read; an `SqliteEventStore` is one. */
export interface ExecutionHistory {
  onReport(report: ExecutionReport): void;
  /** Those that are asked for, newest first. */
  reports(query: ReportQuery): Promise<readonly { readonly report: ExecutionReport }[]>;
}
