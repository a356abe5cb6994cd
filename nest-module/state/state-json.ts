import type { OptionDescription } from '../../lib/container.js';
import type { CircuitBreakerState, ExecutionStatus, OpenedBy, ShieldProfileName } from '../../lib/index.js';

/** A circuit breaker as {@link ResilienceState} shows it. */
export interface CircuitBreakerJson {
  readonly name: string;
  readonly state: CircuitBreakerState;
  /** Where an operator holds it; `null` when it decides by itself. */
  readonly forced: 'open' | 'closed' | null;
  readonly forced_reason: string | null;
  readonly failure_count: number;
  /** `null` where no rule counts failures in a row. */
  readonly failure_threshold: number | null;
  /** Calls in the window; `null` without one, as the four below. */
  readonly calls: number | null;
  readonly failure_rate: number | null;
  readonly slow_calls: number | null;
  readonly slow_call_rate: number | null;
  /** `null` without a budget. */
  readonly budget: { readonly spent: number; readonly limit: number; readonly per_seconds: number } | null;
  readonly opened_at: string | null;
  /** `null` when it is closed. */
  readonly opened_by: OpenedBy | null;
  readonly recovery_timeout_seconds: number;
  readonly half_open_probe_in_flight: boolean;
  readonly probes_in_flight: number;
  /** Whether it is shared with other processes now; `null` where it never was. */
  readonly shared: boolean | null;
  /** Open for long enough: the next call will be a probe. */
  readonly probe_due: boolean;
  /** 0 when a call may pass now; `null` when a probe in flight, or an operator, decides. */
  readonly retry_after_seconds: number | null;
  /** `null` when it has not changed since counting began. */
  readonly last_change: CircuitBreakerChangeJson | null;
}

/** One change of a circuit breaker. */
export interface CircuitBreakerChangeJson {
  readonly breaker_name: string;
  readonly from_state: CircuitBreakerState;
  readonly to_state: CircuitBreakerState;
  readonly failure_count: number;
  /** `null` where it did not open. */
  readonly opened_by: OpenedBy | null;
  readonly by: 'call' | 'operator' | 'fleet';
  readonly forced: boolean;
  readonly reason: string | null;
  readonly at: string;
}

/** A shield as {@link ResilienceState} shows it: one that is registered, or that belongs to a method. */
export interface ShieldJson {
  readonly name: string;
  readonly profile: ShieldProfileName;
  /** Whether a slow-down has switched its limiter on. */
  readonly engaged: boolean;
  /** Calls per second that the limiter lets through while it is on. */
  readonly rate: number;
  /** The rate from before the last cut. */
  readonly w_max: number;
  /** Calls per second that are never exceeded; `null` without a limit. */
  readonly max_rate: number | null;
  /** Calls that wait for admission. */
  readonly waiting: number;
  /** Retries that may be taken. */
  readonly budget: number;
  readonly budget_capacity: number;
  /** What an attempt that begins now may take. */
  readonly timeout_seconds: number;
  /** Latencies that the timeout is made from. */
  readonly samples: number;
  /** `null` without a sample. */
  readonly p50_seconds: number | null;
  readonly p95_seconds: number | null;
  /** The operations of the application that it shields. */
  readonly operations: readonly string[];
}

/** A concurrency limit as {@link ResilienceState} shows it: one that is registered, or that belongs to a method. */
export interface ConcurrencyLimitJson {
  readonly name: string;
  readonly max_concurrent: number;
  /** Attempts that run now. */
  readonly running: number;
  readonly waiting: number;
  readonly queue_size: number;
  /** `null` without a limit of its own. */
  readonly max_wait_seconds: number | null;
  /** Attempts that were refused so far. */
  readonly refused: number;
  /** The operations of the application that it limits. */
  readonly operations: readonly string[];
}

/** What was counted of one operation. */
export interface OperationCountsJson {
  readonly calls: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly timed_out: number;
  readonly cancelled: number;
  /** Of all calls that executed, with refused ones and the fallback attempt. */
  readonly attempts: number;
  readonly retries: number;
  /** Attempts that a circuit breaker refused. */
  readonly refused: number;
  /** Calls that a fallback answered. */
  readonly fallbacks_used: number;
  /** Attempts that a shield or a concurrency limit did not admit. */
  readonly not_admitted: number;
  /** Calls that their shield gave up, those it found an answer for included. */
  readonly shield_gave_up: number;
  /** Calls that the cache or the fallback of their shield answered. */
  readonly shield_recovered: number;
  /** Calls with an idempotency key that waited for the execution of another one. */
  readonly joined: number;
  /** Calls with an idempotency key that were given an earlier result. */
  readonly replayed: number;
}

/** The calls that ended within the last minute; cancelled ones are left out, as they prove nothing. */
export interface LastMinuteJson {
  readonly calls: number;
  /** Failed and timed out. */
  readonly failed: number;
  /** Over the minute, or the time since counting began where that is less. */
  readonly calls_per_second: number;
  /** From 0 to 1; `null` without calls. */
  readonly failure_rate: number | null;
}

/** How long the latest calls took that executed: at most 100, cancelled ones left out. `null` without calls. */
export interface DurationsJson {
  readonly calls: number;
  readonly p50_seconds: number | null;
  readonly p95_seconds: number | null;
  readonly p99_seconds: number | null;
}

/** The latest call of an operation that failed or timed out. */
export interface LastFailureJson {
  readonly call_id: string;
  readonly at: string;
  readonly status: ExecutionStatus;
  readonly error_type: string | null;
}

/** An operation as {@link ResilienceState} shows it. */
export interface OperationJson {
  readonly operation_name: string;
  /** Its policies in one line; `null` for one that this executor has not compiled, as where a test has replaced it. */
  readonly composition: string | null;
  /** The options that somebody gave, and the layer that each comes from. */
  readonly options: readonly OptionDescription[];
  readonly counts: OperationCountsJson;
  readonly last_minute: LastMinuteJson;
  readonly durations: DurationsJson;
  readonly last_failure: LastFailureJson | null;
}

/** One call that has ended: no arguments, no results, no error messages. */
export interface ExecutionSummaryJson {
  readonly call_id: string;
  readonly operation_name: string;
  readonly status: ExecutionStatus;
  readonly started_at: string;
  readonly duration_seconds: number;
  readonly attempt_count: number;
  readonly retry_count: number;
  readonly fallback_used: boolean;
  readonly circuit_breaker_open: boolean;
  /** `null` when it succeeded. */
  readonly error_type: string | null;
}

/** Everything that {@link ResilienceState} knows, at one moment. */
export interface ResilienceStateJson {
  /** Of this shape. Keys are added without a new version; none is renamed or removed. */
  readonly version: 1;
  readonly at: string;
  /** When the application was made. */
  readonly started_at: string;
  readonly uptime_seconds: number;
  /** Since when calls are counted. */
  readonly counted_since: string;
  readonly circuit_breakers: readonly CircuitBreakerJson[];
  readonly shields: readonly ShieldJson[];
  readonly concurrency_limits: readonly ConcurrencyLimitJson[];
  readonly operations: readonly OperationJson[];
  /** How many calls have ended since they are counted. */
  readonly calls: number;
  /** The latest 100 calls that ended, newest first. Fewer where they made very many attempts, as below. */
  readonly executions: readonly ExecutionSummaryJson[];
  /** The latest 100 of those that did anything but succeed at the first attempt, newest first. */
  readonly notable_executions: readonly ExecutionSummaryJson[];
  /** The latest 100 changes of circuit breakers, newest first. */
  readonly circuit_breaker_changes: readonly CircuitBreakerChangeJson[];
  /** `null` where the application has no event sinks. */
  readonly event_sinks: { readonly dropped: number } | null;
}
