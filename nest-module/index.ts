import './observables.js';

export { ResilienceExceptionFilter } from './filters/resilience-exception.filter.js';
export {
  CircuitBreakerHealthIndicator,
  type CircuitBreakerHealthOptions,
  type CircuitBreakerHealthResult,
} from './health/circuit-breaker-health-indicator.js';
export type { CircuitBreakerHealth } from './health/circuit-breaker-health.js';
export { IdempotencyKey, type CallerOf, type IdempotencyKeyOptions } from './idempotency/idempotency-key.js';
export { InjectCircuitBreaker, InjectConcurrencyLimit, InjectShield } from './inject-named.js';
export { ResilienceLogger, type ResilienceLoggerOptions } from './logging/resilience-logger.js';
export type {
  CircuitBreakerConfiguration,
  CircuitBreakerRegistration,
  ConcurrencyLimitConfiguration,
  ConcurrencyLimitRegistration,
  ShieldConfiguration,
  ShieldRegistration,
} from './named/registrations.js';
export type {
  EventSinkRegistration,
  OperationConfiguration,
  PolicyConfiguration,
  ResilienceConfiguration,
  ResilienceFeatureOptions,
  ResilienceModuleAsyncOptions,
  ResilienceModuleOptions,
  ResilienceOptionsFactory,
  ResilienceSettings,
} from './options.js';
export type {
  BackoffConfiguration,
  LayerDescription,
  OperationDescription,
  OptionDescription,
} from '../lib/container.js';
export { ResilienceExecutor } from './resilience-executor.js';
export { ResilienceModule } from './resilience.module.js';
export { ResilienceState } from './state/resilience-state.js';
export type {
  CircuitBreakerChangeJson,
  CircuitBreakerJson,
  ConcurrencyLimitJson,
  DurationsJson,
  ExecutionSummaryJson,
  LastFailureJson,
  LastMinuteJson,
  OperationCountsJson,
  OperationJson,
  ResilienceStateJson,
  ShieldJson,
} from './state/state-json.js';
export {
  getCircuitBreakerToken,
  getConcurrencyLimitToken,
  getShieldToken,
  RESILIENCE_CLOCK,
  RESILIENCE_EVENTS,
  RESILIENCE_EXECUTOR,
  RESILIENCE_RANDOM,
} from './tokens.js';
export type { WarningCode } from './start-up/warning-codes.js';
