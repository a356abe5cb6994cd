import { randomUUID } from 'node:crypto';
import type { ValidationResult } from '../../policies/validation/validation-result.js';
import type { ExecutionReport } from '../../report/execution-report.js';
import type { Reported } from '../../report/report-of.js';
import { buildReport, type Accounted } from '../account.js';
import type { Guard } from '../guard.js';
import type { Plan } from '../plan.js';
import type { Trouble } from '../trouble.js';
import type { Execution } from './execution.js';

/** What is not the same in every success at the first try. */
type Particulars = Pick<
  Accounted,
  'attemptNumber' | 'attemptStartMs' | 'attemptSucceeded' | 'validation' | 'trouble' | 'guard'
>;

/**
 * What is kept of an execution that has succeeded: its account, and nothing that only running needs. As small as can
 * be: of all that a key costs, moving what is kept about in memory is the largest part.
 */
export class KeptAccount implements Accounted, Reported {
  readonly plan: Plan;
  readonly startMs: number;
  readonly endMs: number;
  startWallMs: number | undefined;
  private readonly particulars: Particulars | undefined;
  private id: string | undefined;
  private account: ExecutionReport | undefined = undefined;

  constructor(execution: Execution) {
    this.plan = execution.plan;
    this.startMs = execution.startMs;
    this.endMs = execution.endMs;
    this.startWallMs = execution.startWallMs;
    this.particulars = isPlain(execution) ? undefined : particularsOf(execution);
    this.id = execution.knownId;
  }

  get status() {
    return 'succeeded' as const;
  }

  get attemptNumber(): number {
    return this.particulars?.attemptNumber ?? 1;
  }

  get attemptStartMs(): number {
    return this.particulars?.attemptStartMs ?? this.startMs;
  }

  get attemptSucceeded(): boolean {
    return this.particulars?.attemptSucceeded ?? true;
  }

  get validation(): ValidationResult | undefined {
    return this.particulars?.validation;
  }

  get trouble(): Trouble | undefined {
    return this.particulars?.trouble;
  }

  get guard(): Guard | undefined {
    return this.particulars?.guard;
  }

  get callId(): string {
    return (this.id ??= randomUUID());
  }

  get report(): ExecutionReport {
    return (this.account ??= buildReport(this));
  }
}

function isPlain(execution: Execution): boolean {
  const { trouble, validation, guard, attemptStartMs, startMs } = execution;
  // Any attempt but the first has left trouble.
  return (trouble ?? validation ?? guard) === undefined && attemptStartMs === startMs;
}

function particularsOf(execution: Execution): Particulars {
  const { attemptNumber, attemptStartMs, attemptSucceeded, validation, trouble, guard } = execution;
  return { attemptNumber, attemptStartMs, attemptSucceeded, validation, trouble, guard };
}
