import { checkOptions, isRecord, refuse } from '../../errors/check.js';
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

/** @throws {ConfigurationError} for what no breaker has written. */
export function checkSavedBreaker(given: unknown): SavedCircuitBreaker {
  checkOptions('circuitBreaker', given, KEYS);
  const json = given as SavedCircuitBreaker;
  if ((json.version as number) !== 1)
    refuse('version', json.version, 'give what toJSON() of this version wrote');
  if (!isRecord(given) || !STATES.includes(json.state))
    refuse('state', json.state, "give 'closed', 'open' or 'half_open'");
  if (json.state !== 'closed' && Number.isNaN(Date.parse(json.opened_at ?? '')))
    refuse('opened_at', json.opened_at, 'give a date in ISO 8601');
  return json;
}
