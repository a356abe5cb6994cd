import { executionError } from './operation-execution-error.js';
import type { Reported } from '../report/report-of.js';
import type { CallForm } from './call-form.js';
import type { Plan } from './plan.js';

/** How a call failed, before its caller is told in the form that it asked for. */
export class Rejection {
  constructor(
    /** The error of a decorated method. */
    readonly failure: unknown,
    /** What the error of the result form wraps: the same, or all stand-ins that failed. */
    readonly ending: unknown = failure,
    /** Reaches callers of every form as it is. */
    readonly passesThrough = false,
  ) {}
}

interface Rejected extends Reported {
  readonly form: CallForm;
  readonly plan: Plan;
}

/** What the promise of a call rejects with. */
export function rejectionFor(call: Rejected, { failure, ending, passesThrough }: Rejection): unknown {
  if (passesThrough || (call.form === 'value' && !call.plan.throwsExecutionError)) return failure;
  return executionError(call.plan.name, call, ending);
}
