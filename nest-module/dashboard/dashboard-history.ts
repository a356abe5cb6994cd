import type { InjectionToken, Type } from '@nestjs/common';
import type { AnyEvent, ExecutionReport } from '../../lib/index.js';

/** Which page of a store: the entries below a number, newest first. */
export interface HistoryReadOptions {
  readonly operationName?: string;
  readonly callId?: string;
  readonly afterSequenceId?: number;
  readonly limit: number;
  readonly order: 'newest-first';
}

/** A report as a store gives it back. */
export interface StoredReportLike {
  readonly sequenceId: number;
  readonly report: ExecutionReport;
}

/** An event as a store gives it back. */
export interface StoredEventLike {
  readonly sequenceId: number;
  readonly event: AnyEvent;
}

/** Where the page finds what has happened before: `SqliteEventStore` of `relprim/sqlite`, or your own. */
export interface DashboardHistory {
  reports(options: HistoryReadOptions): Promise<readonly StoredReportLike[]>;
  history(options: HistoryReadOptions): Promise<readonly StoredEventLike[]>;
}

/** A store, or the token of the provider that is one. */
export type HistorySource = DashboardHistory | InjectionToken<DashboardHistory> | Type<DashboardHistory>;

/** What the page shows of a store at once. */
export interface HistoryPage {
  readonly kind: 'reports' | 'events';
  readonly entries: readonly object[];
  /** Where the next page begins; `null` where nothing is older. */
  readonly before: number | null;
}

const ROWS = 50;

/** Of which the page asks by `?kind=&operation=&before=`. Anything else in there is passed over. */
export async function readHistory(history: DashboardHistory, asked: URLSearchParams): Promise<HistoryPage> {
  const kind = asked.get('kind') === 'events' ? 'events' : 'reports';
  const operationName = asked.get('operation')?.trim() ?? '';
  const before = Number(asked.get('before') ?? NaN);
  const options: HistoryReadOptions = {
    limit: ROWS,
    order: 'newest-first',
    ...(operationName !== '' && { operationName }),
    ...(Number.isSafeInteger(before) && before >= 0 && { afterSequenceId: before }),
  };
  const stored = kind === 'events' ? await history.history(options) : await history.reports(options);
  return {
    kind,
    entries: stored.map((entry) => ('event' in entry ? entry.event.toJSON() : executionJson(entry.report))),
    before: stored.length < ROWS ? null : (stored.at(-1)?.sequenceId ?? null),
  };
}

/** A call with its whole account, and the words for it. */
export interface ExecutionJson {
  readonly report: object;
  readonly explanation: string;
}

export function executionJson(report: ExecutionReport): ExecutionJson {
  return { report: report.toJSON(), explanation: report.explain() };
}
