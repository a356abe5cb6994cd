import { brandError } from '../errors/brand.js';
import { RelPrimError } from '../errors/relprim-error.js';
import { errorType } from '../report/execution-error.js';
import type { ExecutionReport } from '../report/execution-report.js';
import type { Reported } from '../report/report-of.js';

/** A call failed, in the result form. `cause` is the failure itself, `report` the account of the call. */
export class OperationExecutionError extends RelPrimError {
  readonly #source: Reported;

  constructor(operationName: string, source: Reported, cause: unknown) {
    super(`${operationName} failed: ${errorType(cause)}`, { cause });
    this.#source = source;
  }

  get report(): ExecutionReport {
    return this.#source.report;
  }
}
brandError(OperationExecutionError, 'OperationExecutionError', 'RELPRIM_OPERATION_FAILED');
