export type { Clock, Timer } from './time/clock.js';
export { SystemClock } from './time/clock.js';
export type { Duration } from './time/duration.js';
export type { Random } from './time/random.js';

export { ConfigurationError } from './errors/configuration-error.js';
export type { ConfigurationProblem } from './errors/configuration-error.js';
export { MisuseError } from './errors/misuse-error.js';
export { RelPrimError } from './errors/relprim-error.js';
export type { ErrorClass, FailureFilter } from './errors/failure-filter.js';
export type { TimeOptions } from './errors/check.js';

export { ExecutionAttempt } from './report/execution-attempt.js';
export type { AttemptStatus, ExecutionAttemptFields } from './report/execution-attempt.js';
export { ExecutionError } from './report/execution-error.js';
export type { ExecutionErrorFields } from './report/execution-error.js';
export { ExecutionReport } from './report/execution-report.js';
export type {
  ExecutionReportFields,
  ExecutionReportJson,
  ExecutionStatus,
} from './report/execution-report.js';
export type {
  AttemptMetadata,
  DelayMetadata,
  GuardMetadata,
  IdempotencyMetadata,
  Metadata,
  ReportMetadata,
  Scalar,
  ValidationMetadata,
} from './report/metadata.js';
export { reportFromJson } from './report/report-from-json.js';
export { reportOf } from './report/report-of.js';

export { EventEmitter } from './events/event-emitter.js';
export type { EventEmitterOptions } from './events/event-emitter.js';
export { InMemoryEventSink, NoopEventSink } from './events/event-sink.js';
export type { EventSink } from './events/event-sink.js';
export { StructuredEvent } from './events/structured-event.js';
export type { AnyEvent, StructuredEventFields } from './events/structured-event.js';
export type {
  AttemptFailedPayload,
  AttemptStartedPayload,
  AttemptSucceededPayload,
  CircuitBreakerRejectedPayload,
  CircuitBreakerSharingPayload,
  CircuitBreakerTransitionPayload,
  EventPayloads,
  EventType,
  FallbackFailedPayload,
  FallbackStartedPayload,
  FallbackSucceededPayload,
  IdempotencyNotKeptPayload,
  IdempotencyStoreFailedPayload,
  OperationFailedPayload,
  OperationStartedPayload,
  OperationSucceededPayload,
  RateLimitDetectedPayload,
  RateLimitWaitExceededPayload,
  RetryScheduledPayload,
  ValidationFailedPayload,
  ValidationSucceededPayload,
} from './events/event-types.js';
export type {
  ConcurrencyLimitRejectedPayload,
  ConcurrencyLimitWaitedPayload,
  ShieldBudgetExhaustedPayload,
  ShieldGaveUpPayload,
  ShieldMovePayload,
  ShieldRecoveredPayload,
} from './events/guard-event-types.js';

export type { Backoff } from './backoff/backoff.js';
export { ExponentialBackoff } from './backoff/exponential-backoff.js';
export type { ExponentialBackoffOptions, Jitter } from './backoff/exponential-backoff.js';

export { attemptSignal, currentAttempt } from './attempt/current-attempt.js';
export type { CurrentAttempt } from './attempt/current-attempt.js';

export { isRetryableHttp } from './policies/retry/is-retryable-http.js';
export { nonRetryable, NonRetryableError } from './policies/retry/non-retryable-error.js';
export { RetryError } from './policies/retry/retry-error.js';
export { RetryPolicy } from './policies/retry/retry-policy.js';
export type { RetryPolicyOptions } from './policies/retry/retry-policy.js';
export { OperationTimeoutError } from './policies/timeout/operation-timeout-error.js';
export type { TimeoutScope } from './policies/timeout/operation-timeout-error.js';
export { TimeoutPolicy } from './policies/timeout/timeout-policy.js';
export { RateLimitDecision } from './policies/rate-limit/rate-limit-decision.js';
export { RateLimitPolicy } from './policies/rate-limit/rate-limit-policy.js';
export type {
  RateLimitPolicyOptions,
  RetryAfterContext,
  RetryAfterExtractor,
} from './policies/rate-limit/rate-limit-policy.js';
export { RetryAfterExtractionError } from './policies/rate-limit/retry-after-extraction-error.js';
export {
  retryAfterExtractor,
  retryAfterFromHeaders,
} from './policies/rate-limit/retry-after-from-headers.js';
export type { RetryAfterExtractorOptions } from './policies/rate-limit/retry-after-from-headers.js';
export { CircuitBreaker } from './policies/circuit-breaker/circuit-breaker.js';
export type { CircuitBreakerOptions } from './policies/circuit-breaker/circuit-breaker-options.js';
export { CircuitBreakerOpenError } from './policies/circuit-breaker/circuit-breaker-open-error.js';
export type { RefusalDetails, RefusalReason } from './policies/circuit-breaker/circuit-breaker-open-error.js';
export type { OpeningFacts } from './policies/circuit-breaker/opening.js';
export { httpCircuitBreaker } from './policies/circuit-breaker/http-circuit-breaker.js';
export { CircuitBreakerRegistry } from './policies/circuit-breaker/circuit-breaker-registry.js';
export type { SavedCircuitBreaker } from './policies/circuit-breaker/saved-circuit-breaker.js';
export type {
  CircuitBreakerSnapshot,
  CircuitBreakerState,
  CircuitBreakerTransition,
  OpenedBy,
} from './policies/circuit-breaker/circuit-breaker-state.js';
export type { BudgetNumbers, BudgetOptions } from './policies/circuit-breaker/budget.js';
export type { ProbeOptions } from './policies/circuit-breaker/probes.js';
export type { GrowingRecovery } from './policies/circuit-breaker/recovery.js';
export type { TripRuleOptions } from './policies/circuit-breaker/rules/rule-from.js';
export type { RuleNumbers, TripRuleName } from './policies/circuit-breaker/rules/trip-rule.js';
export type { TransitionListener } from './policies/circuit-breaker/transition-listeners.js';
export { FallbackChain, fallbackChain } from './policies/fallback/fallback-chain.js';
export type {
  FallbackCandidate,
  FallbackChainOptions,
  FallbackResult,
} from './policies/fallback/fallback-chain.js';
export { FallbackChainError } from './policies/fallback/fallback-chain-error.js';
export { IdempotencyConflictError } from './policies/idempotency/idempotency-conflict-error.js';
export { IdempotencyInFlightError } from './policies/idempotency/idempotency-in-flight-error.js';
export { IdempotencyPolicy, idempotencyPolicy } from './policies/idempotency/idempotency-policy.js';
export type { IdempotencyPolicyOptions } from './policies/idempotency/idempotency-policy.js';
export { IdempotencyReentryError } from './policies/idempotency/idempotency-reentry-error.js';
export { IdempotencyResultUnavailableError } from './policies/idempotency/idempotency-result-unavailable-error.js';
export { IdempotencyStoreError } from './policies/idempotency/idempotency-store-error.js';
export type {
  Claim,
  ClaimRequest,
  IdempotencyStore,
  KeptOutcome,
  KeyInFlight,
  KnownOutcome,
  NotKept,
  OwnedKey,
} from './policies/idempotency/idempotency-store.js';
export { InMemoryIdempotencyStore } from './policies/idempotency/in-memory-idempotency-store.js';
export type { InMemoryIdempotencyStoreOptions } from './policies/idempotency/in-memory-idempotency-store.js';
export { standardSchemaValidator } from './policies/validation/standard-schema.js';
export type { StandardSchemaLike, StandardSchemaOptions } from './policies/validation/standard-schema.js';
export type { ValidateEntry, ValidateOption } from './policies/validation/as-validation.js';
export { ValidationFailedError } from './policies/validation/validation-failed-error.js';
export { ValidationPolicy, validationPolicy } from './policies/validation/validation-policy.js';
export { ValidationResult } from './policies/validation/validation-result.js';
export { PredicateValidator, validator } from './policies/validation/validator.js';
export type { Validator } from './policies/validation/validator.js';

export {
  ConcurrencyLimit,
  type ConcurrencyLimitOptions,
  type ConcurrencyLimitSnapshot,
  type ConcurrencyQueueOptions,
} from './policies/concurrency-limit/concurrency-limit.js';
export {
  ConcurrencyLimitError,
  type ConcurrencyRefusalReason,
} from './policies/concurrency-limit/concurrency-limit-error.js';
export { ConcurrencyLimitRegistry } from './policies/concurrency-limit/concurrency-limit-registry.js';

export { AsyncOperation, asyncOperation } from './operation/async-operation.js';
export { httpPolicy } from './operation/http-policy.js';
export type { HttpMethod, HttpPolicy, HttpPolicyOptions } from './operation/http-policy.js';
export type { ReportListener } from './operation/host.js';
export type {
  ObservableLike,
  ObservableOf,
  ObservableTypes,
  ObserverLike,
} from './operation/observable-like.js';
export { OperationExecutionError } from './operation/operation-execution-error.js';
export { OperationResult } from './operation/operation-result.js';
export type { PolicyOptions } from './operation/options.js';
export { ResilienceShutdownError } from './operation/resilience-shutdown-error.js';
export { resilient } from './operation/resilient.js';
export type { ResilientFunctionOptions } from './operation/resilient.js';
export { resultOf } from './operation/result-of.js';
export type { ResultOfOptions } from './operation/result-of.js';

export type { ShieldCache } from './shield/cache.js';
export { InMemoryCache, type InMemoryCacheOptions } from './shield/in-memory-cache.js';
export type { ShieldProfileName } from './shield/profiles.js';
export { Shield } from './shield/shield.js';
export type { ShieldChange } from './shield/shield-change.js';
export { ShieldLimitedError, type ShieldRefusalReason } from './shield/shield-limited-error.js';
export type { ProfiledShieldOptions, ShieldConfig, ShieldOptions } from './shield/shield-options.js';
export { ShieldRegistry } from './shield/shield-registry.js';
export type { ShieldSnapshot } from './shield/shield-snapshot.js';
export type { TimeoutErrors } from './shield/timeout-errors.js';

export { getResilientMetadata } from './decorator/metadata.js';
export type { ResilientMetadata } from './decorator/metadata.js';
export type { MethodOptions } from './decorator/decorated-method.js';
export { Resilient } from './decorator/resilient.js';
export { Shielded, type ShieldedDecorators, type ShieldedOptions } from './decorator/shielded.js';
export type {
  BreakerSelector,
  FallbackFn,
  KeySelector,
  ResilientDecorator,
  ResilientOptions,
  ResilientTypeError,
  SignalSelector,
} from './decorator/types.js';
