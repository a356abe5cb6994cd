import type { ExecutionReport } from '../../lib/index.js';

/** How many attempts a shelf keeps for each report that it may keep: ordinary ones have fewer. */
const ATTEMPTS_EACH = 10;

/** The latest reports: a number of them, or fewer where their accounts are long. */
export class ReportShelf {
  /** In the order in which they came. */
  private readonly kept = new Map<string, ExecutionReport>();
  private weight = 0;

  constructor(private readonly most: number) {}

  add(report: ExecutionReport): void {
    // A call is kept once, whoever tells of it.
    this.drop(report.callId);
    this.kept.set(report.callId, report);
    this.weight += weightOf(report);
    const heaviest = this.most * ATTEMPTS_EACH;
    for (const callId of this.kept.keys()) {
      if (this.kept.size <= this.most && this.weight <= heaviest) break;
      this.drop(callId);
    }
  }

  has(callId: string): boolean {
    return this.kept.has(callId);
  }

  get(callId: string): ExecutionReport | undefined {
    return this.kept.get(callId);
  }

  /** Newest first. */
  list(): readonly ExecutionReport[] {
    return [...this.kept.values()].reverse();
  }

  private drop(callId: string): void {
    const report = this.kept.get(callId);
    if (report === undefined) return;
    this.kept.delete(callId);
    this.weight -= weightOf(report);
  }
}

function weightOf({ attempts, causedBy }: ExecutionReport): number {
  return causedBy.reduce((sum, cause) => sum + weightOf(cause), Math.max(1, attempts.length));
}
