import type { BudgetNumbers, CircuitBreaker, CircuitBreakerTransition } from '../../lib/index.js';
import type { CircuitBreakerChangeJson, CircuitBreakerJson } from './state-json.js';

/** A breaker under the name that it is registered under, which is not always its own. */
export function breakerJson(
  name: string,
  breaker: CircuitBreaker,
  lastChange: CircuitBreakerChangeJson | undefined,
): CircuitBreakerJson {
  const snapshot = breaker.snapshot();
  return {
    name,
    state: snapshot.state,
    forced: snapshot.forced,
    forced_reason: snapshot.forcedReason,
    failure_count: snapshot.failureCount,
    failure_threshold: snapshot.failureThreshold,
    calls: snapshot.calls,
    failure_rate: snapshot.failureRate,
    slow_calls: snapshot.slowCalls,
    slow_call_rate: snapshot.slowCallRate,
    budget: budgetJson(snapshot.budget),
    opened_at: snapshot.openedAt?.toISOString() ?? null,
    opened_by: snapshot.openedBy,
    recovery_timeout_seconds: snapshot.recoveryTimeoutSeconds,
    half_open_probe_in_flight: snapshot.halfOpenProbeInFlight,
    probes_in_flight: snapshot.probesInFlight,
    shared: snapshot.shared,
    probe_due: snapshot.probeDue,
    retry_after_seconds: snapshot.retryAfterSeconds,
    last_change: lastChange ?? null,
  };
}

function budgetJson(budget: BudgetNumbers | null): CircuitBreakerJson['budget'] {
  if (budget === null) return null;
  return { spent: budget.spent, limit: budget.limit, per_seconds: budget.perSeconds };
}

export function changeJson(transition: CircuitBreakerTransition, wallMs: number): CircuitBreakerChangeJson {
  return {
    breaker_name: transition.breakerName,
    from_state: transition.from,
    to_state: transition.to,
    failure_count: transition.failureCount,
    opened_by: transition.openedBy,
    by: transition.by,
    forced: transition.forced,
    reason: transition.reason,
    at: new Date(wallMs).toISOString(),
  };
}
