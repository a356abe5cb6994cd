import type {
  ExecutionReport,
  IdempotencyMetadata,
  IdempotencyPolicyOptions,
  OperationResult,
  ResilientFunctionOptions,
} from '../../lib/index.js';
import { IdempotencyPolicy } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { scene, type Fn } from '../operation/support.js';

type Options = ResilientFunctionOptions<Fn, any>;
type PolicyOptions = Partial<IdempotencyPolicyOptions>;

/** A resilient function whose first argument is its key and whose second one may be the caller's signal. */
export function keyed(
  fn: Fn,
  policy: PolicyOptions = {},
  options: Options = {},
  clock: FakeClock = new FakeClock(),
) {
  const idempotency = new IdempotencyPolicy({ key: (id: string) => id, ...policy });
  const signal = (_id: string, signal?: unknown): AbortSignal | undefined =>
    signal instanceof AbortSignal ? signal : undefined;
  const made = scene(fn, { idempotency, signal, ...options }, clock);
  return {
    ...made,
    run: made.run as (...args: unknown[]) => Promise<OperationResult<any>>,
    result: made.result as (...args: unknown[]) => Promise<OperationResult<any>>,
  };
}

export type Role = IdempotencyMetadata['idempotency_status'];

/** What the key did for the call of a report. */
export function roleOf({ metadata }: ExecutionReport): Role | undefined {
  return metadata.idempotency_status;
}

/** The same for results. */
export function rolesOf(results: readonly { readonly report: ExecutionReport }[]): (Role | undefined)[] {
  return results.map(({ report }) => roleOf(report));
}

/** All that metadata says about the key, and nothing else. */
export function keyMetadata({ metadata }: ExecutionReport): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => name.startsWith('idempotency_')));
}

/** A report without what differs between the callers of one execution. */
export function sharedPart(report: ExecutionReport): object {
  const { metadata, ...rest } = report.toJSON();
  const shared = Object.entries(metadata).filter(([name]) => !name.startsWith('idempotency_'));
  return { ...rest, metadata: Object.fromEntries(shared) };
}
