import { INSPECT } from '../errors/printing.js';
import type { ExecutionReport } from '../report/execution-report.js';
import type { Reported } from '../report/report-of.js';

/** Known to other copies of this package. */
const RESULT = Symbol.for('relprim/result');

/** The value of a successful call together with the account of how it came about. */
export class OperationResult<T> {
  // Truly private, so that printing or comparing results shows no engine.
  readonly #source: Reported;

  constructor(
    readonly value: T,
    source: Reported,
  ) {
    this.#source = source;
  }

  get report(): ExecutionReport {
    return this.#source.report;
  }

  get succeeded(): boolean {
    return this.report.succeeded;
  }

  get failed(): boolean {
    return this.report.failed;
  }

  /** @internal */
  get [RESULT](): true {
    return true;
  }

  /** @internal */
  [INSPECT](): object {
    return { value: this.value, report: this.report };
  }

  toJSON() {
    return { value: this.value, report: this.report.toJSON() };
  }
}

/** Whether it is a result, of whichever copy of this package. */
export function isResult(value: unknown): value is OperationResult<unknown> {
  if (value instanceof OperationResult) return true;
  try {
    return typeof value === 'object' && (value as { [RESULT]?: unknown } | null)?.[RESULT] === true;
  } catch {
    // A value that lets nobody look is a value.
    return false;
  }
}
