import { checkCount, checkName, checkOptions, refuse } from '../../errors/check.js';
import type { CircuitBreakerState, ForcedState, OpenedBy } from './circuit-breaker-state.js';

/** What is kept of a breaker across a restart. What its calls did in a window is not. */
export interface SavedCircuitBreaker {
  readonly version: 1;
  readonly name: string;
  readonly state: CircuitBreakerState;
  /** ISO 8601; `null` when it is closed. */
  readonly opened_at: string | null;
  readonly opened_by: OpenedBy | null;
  /** Probes that have failed in a row: a growing recovery time goes by them. */
  readonly failed_probes: number;
  readonly forced: ForcedState | null;
  readonly forced_reason: string | null;
}

const KEYS: readonly (keyof SavedCircuitBreaker)[] = [
  'version',
  'name',
  'state',
  'opened_at',
  'opened_by',
  'failed_probes',
  'forced',
  'forced_reason',
];
const STATES: readonly unknown[] = ['closed', 'open', 'half_open'];
const HELD: readonly unknown[] = ['closed', 'open'];
const OPENED_BY: Readonly<Record<OpenedBy, true>> = {
  consecutive_failures: true,
  failure_rate: true,
  slow_call_rate: true,
  budget: true,
  probe_failed: true,
  operator: true,
  fleet: true,
};

/** @throws {ConfigurationError} for what no breaker has written: half of it would leave a breaker that nothing moves. */
export function checkSavedBreaker(given: unknown): SavedCircuitBreaker {
  checkOptions('circuitBreaker', given, KEYS);
  const json = given as SavedCircuitBreaker;
  const { version, state, opened_at, opened_by, failed_probes, forced, forced_reason } = json;
  if ((version as number) !== 1) refuse('version', version, 'give what toJSON() of this version wrote');
  checkName('name', json.name);
  if (!STATES.includes(state)) refuse('state', state, "give 'closed', 'open' or 'half_open'");
  if (forced !== null && (forced !== state || !HELD.includes(state)))
    refuse('forced', forced, 'give null, or the state that an operator holds it in');
  if (forced_reason !== null) checkName('forced_reason', forced_reason);
  checkCount('failed_probes', failed_probes, 0);
  if (state === 'closed') return json;
  if (typeof opened_at !== 'string' || Number.isNaN(Date.parse(opened_at)))
    refuse('opened_at', opened_at, 'give a date in ISO 8601');
  if (typeof opened_by !== 'string' || !Object.hasOwn(OPENED_BY, opened_by))
    refuse('opened_by', opened_by, `give one of ${Object.keys(OPENED_BY).join(', ')}`);
  return json;
}
