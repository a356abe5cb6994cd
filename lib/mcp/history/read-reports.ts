import type { ExecutionHistory, ReportQuery } from './execution-history.js';

/** The history cannot be read just now. The message is for the agent; calls go on all the same. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';

  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : 'it failed';
    super(`the history cannot be read: ${why}; calls do not need it and go on`, { cause });
  }
}

/** The reports that are asked for, newest first. @throws {HistoryError} with what a store says that cannot be read. */
export async function readReports(history: ExecutionHistory, query: ReportQuery) {
  try {
    return (await history.reports({ ...query, order: 'newest-first' })).map(({ report }) => report);
  } catch (error) {
    throw new HistoryError(error);
  }
}
