import type { ExecutionReport } from '../../report/execution-report.js';
import type { ExecutionHistory, ReportQuery } from './execution-history.js';

/** The latest reports, in memory: when there are too many, the oldest goes. */
export class ExecutionMemory implements ExecutionHistory {
  private readonly kept = new Map<string, ExecutionReport>();

  constructor(private readonly most: number) {}

  onReport(report: ExecutionReport): void {
    this.kept.set(report.callId, report);
    for (const callId of this.kept.keys()) {
      if (this.kept.size <= this.most) break;
      this.kept.delete(callId);
    }
  }

  reports(query: ReportQuery): Promise<readonly { readonly report: ExecutionReport }[]> {
    const { callId, statuses, limit = this.most } = query;
    const wanted = [...this.kept.values()]
      .reverse()
      .filter((report) => callId === undefined || report.callId === callId)
      .filter((report) => statuses === undefined || statuses.includes(report.status));
    return Promise.resolve(wanted.slice(0, limit).map((report) => ({ report })));
  }
}
