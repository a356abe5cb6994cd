import { checkName, refuse } from '../../lib/container.js';
import type { ResilienceState } from '../state/resilience-state.js';
import type { CircuitBreakerJson } from '../state/state-json.js';

/** A reason is for people, who read it in a log. */
const LONGEST_REASON = 500;

/**
 * Does to a circuit breaker what somebody asks for: `name`, `action` and `reason`.
 * @throws {ConfigurationError} for what cannot be done.
 */
export function operate(
  state: ResilienceState,
  asked: Readonly<Record<string, unknown>>,
): CircuitBreakerJson {
  const name = checkName('name', asked['name']);
  const reason = checkName('reason', asked['reason']).trim();
  if (reason.length > LONGEST_REASON)
    refuse('reason', asked['reason'], `give at most ${LONGEST_REASON} letters`);
  switch (asked['action']) {
    case 'force_open':
      return state.forceOpen(name, reason);
    case 'force_closed':
      return state.forceClosed(name, reason);
    case 'reset':
      return state.reset(name, reason);
    default:
      return refuse('action', asked['action'], "give 'force_open', 'force_closed' or 'reset'");
  }
}
