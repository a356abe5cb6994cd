import { globalSlot } from '../errors/global-slot.js';
import type { ExecutionReport } from './execution-report.js';

/** Something that can tell its report later: reports are built only when somebody reads them. */
export interface Reported {
  readonly report: ExecutionReport;
  /** The number of the call, in the order in which calls started. */
  readonly sequence?: number;
}

const reported = globalSlot('reports', () => new WeakMap<object, Reported>());

/**
 * The report of the call that rejected with this error, or `undefined` when no call of ours did. When several layers
 * rejected with one error object it is the outermost one's; the inner reports are in its `causedBy`. Thrown values
 * that are no objects cannot be looked up: use `resultOf` or `onReport` for those.
 */
export function reportOf(error: unknown): ExecutionReport | undefined {
  return lastReporterOf(error)?.report;
}

export function lastReporterOf(error: unknown): Reported | undefined {
  return isKey(error) ? reported.get(error) : undefined;
}

export function rememberReporter(error: unknown, reporter: Reported): void {
  if (isKey(error)) reported.set(error, reporter);
}

function isKey(error: unknown): error is object {
  return (typeof error === 'object' && error !== null) || typeof error === 'function';
}
