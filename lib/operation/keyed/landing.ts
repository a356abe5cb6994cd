import type { ExecutionStatus } from '../../report/execution-report.js';
import { lastReporterOf, rememberReporter, type Reported } from '../../report/report-of.js';
import { IdempotencyResultUnavailableError } from '../../policies/idempotency/idempotency-result-unavailable-error.js';
import { close, concludeOutside, noteStarts } from '../conclusion.js';
import { OperationResult } from '../operation-result.js';
import { rejectionFor, type Rejection } from '../rejection.js';
import { KeyedCall, type ExecutionAccount } from './keyed-call.js';

/** What came of an execution, for all who wait for it or come later. */
export class Landing implements ExecutionAccount {
  /** The value, for whoever executed. */
  value: unknown = undefined;
  /** For everybody else: a value that nobody has, to make copies from. */
  master: Master | undefined = undefined;
  withoutValue = false;
  kept = true;
  /** How those come by it who did not execute. */
  others: 'joined' | 'replayed' = 'joined';

  constructor(
    readonly source: Reported,
    readonly status: ExecutionStatus,
    readonly isProtected = true,
    /** How it failed; `undefined` where it succeeded. */
    readonly rejection: Rejection | undefined = undefined,
  ) {}
}

/** A value that is only ever copied. `failure` where that is not possible. */
export interface Master {
  readonly value: unknown;
  readonly failure: { readonly cause: unknown } | undefined;
}

export function masterOf(value: unknown, copy: (value: unknown) => unknown): Master {
  try {
    return { value: copy(value), failure: undefined };
  } catch (cause) {
    return { value: undefined, failure: { cause } };
  }
}

/** The call ends as the execution did: gives what its caller gets. @throws what its promise rejects with. */
export function arrive(call: KeyedCall, landing: Landing): unknown {
  call.role ??= landing.others;
  const { rejection } = landing;
  const value = valueFor(call, landing);
  call.withoutValue = landing.withoutValue;
  call.accountOf(landing);
  call.status = landing.status;
  if (rejection !== undefined) rememberSharer(call, rejection.failure, landing);
  if (rejection?.passesThrough === true) call.troubled().interrupted = true;
  if (rejection !== undefined) noteStarts(call);
  close(call);
  if (rejection !== undefined) throw rejectionFor(call, rejection);
  return call.form === 'result' ? new OperationResult(value, call) : value;
}

/** Several callers share one error: the account that it leads to is that of the first, who executed. */
function rememberSharer(call: KeyedCall, failure: unknown, { source }: Landing): void {
  const reporter = lastReporterOf(failure);
  if (reporter === source) rememberReporter(failure, call);
  else if (reporter instanceof KeyedCall) reporter.shareWith(call);
}

/** Nothing where the execution failed. @throws what the promise of the call rejects with where it cannot be copied. */
function valueFor(call: KeyedCall, { value, master }: Landing): unknown {
  if (call.role === 'executed' || master === undefined) return value;
  const copied = master.failure === undefined ? masterOf(master.value, call.keyed.policy.copy) : master;
  if (copied.failure === undefined) return copied.value;
  const { plan, shownKey } = call;
  const { cause } = copied.failure;
  throw concludeOutside(
    call,
    new IdempotencyResultUnavailableError(plan.name, shownKey, 'not_encodable', cause),
    'failed',
  );
}
