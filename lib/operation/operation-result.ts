import type { ExecutionReport } from '../report/execution-report.js';
import type { Reported } from '../report/report-of.js';

/** The value of a successful call together with the account of how it came about. */
export class OperationResult<T> {
  constructor(
    readonly value: T,
    private readonly source: Reported,
  ) {}

  get report(): ExecutionReport {
    return this.source.report;
  }

  get succeeded(): boolean {
    return this.report.succeeded;
  }

  get failed(): boolean {
    return this.report.failed;
  }

  toJSON() {
    return { value: this.value, report: this.report.toJSON() };
  }
}
