import { randomUUID } from 'node:crypto';
import type { ValidationResult } from '../../policies/validation/validation-result.js';
import type { ExecutionReport } from '../../report/execution-report.js';
import type { Reported } from '../../report/report-of.js';
import { buildReport, type Accounted } from '../account.js';
import type { Plan } from '../plan.js';
import type { Trouble } from '../trouble.js';
import type { Execution } from './execution.js';

/** What is kept of an execution that has succeeded: its account, and nothing that only running needs. */
export class KeptAccount implements Accounted, Reported {
  readonly plan: Plan;
  readonly startMs: number;
  readonly endMs: number;
  startWallMs: number | undefined;
  readonly attemptNumber: number;
  readonly attemptStartMs: number;
  readonly attemptSucceeded: boolean;
  readonly validation: ValidationResult | undefined;
  readonly trouble: Trouble | undefined;
  private id: string | undefined;
  private account: ExecutionReport | undefined = undefined;

  constructor(execution: Execution) {
    this.plan = execution.plan;
    this.startMs = execution.startMs;
    this.endMs = execution.endMs;
    this.startWallMs = execution.startWallMs;
    this.attemptNumber = execution.attemptNumber;
    this.attemptStartMs = execution.attemptStartMs;
    this.attemptSucceeded = execution.attemptSucceeded;
    this.validation = execution.validation;
    this.trouble = execution.trouble;
    this.id = execution.knownId;
  }

  get status() {
    return 'succeeded' as const;
  }

  get callId(): string {
    return (this.id ??= randomUUID());
  }

  get report(): ExecutionReport {
    return (this.account ??= buildReport(this));
  }
}
