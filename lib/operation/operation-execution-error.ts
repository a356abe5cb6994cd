import { brandError, isBranded, withoutStack } from '../errors/brand.js';
import { RelPrimError } from '../errors/relprim-error.js';
import { errorGist } from '../report/execution-error.js';
import type { ExecutionReport } from '../report/execution-report.js';
import { rememberReporter, type Reported } from '../report/report-of.js';

/** A call failed, in the result form. `cause` is the failure itself, `report` the account of the call. */
export class OperationExecutionError extends RelPrimError {
  readonly #source: Reported;

  constructor(operationName: string, source: Reported, cause: unknown) {
    super(`${operationName} failed: ${errorGist(cause)}`, { cause });
    this.#source = source;
    rememberReporter(this, source);
  }

  /** The account of the call that made this error, whichever calls it passed through afterwards. */
  get report(): ExecutionReport {
    return this.#source.report;
  }

  /** Whether the work may have been done all the same: its last try was given up after it had begun. */
  get outcomeUnknown(): boolean {
    return this.report.metadata.outcome_unknown === true;
  }
}
brandError(OperationExecutionError, 'OperationExecutionError', 'RELPRIM_OPERATION_FAILED');

/** The error of the result form. Around a refusal it costs no stack trace, as the refusal itself. */
export function executionError(
  operationName: string,
  source: Reported,
  cause: unknown,
): OperationExecutionError {
  const make = (): OperationExecutionError => new OperationExecutionError(operationName, source, cause);
  return isBranded(cause, 'CircuitBreakerOpenError') ? withoutStack(make) : make();
}
