export { InjectCircuitBreaker } from './inject-circuit-breaker.js';
export type {
  CircuitBreakerRegistration,
  EventSinkRegistration,
  ResilienceModuleOptions,
} from './options.js';
export { ResilienceExecutor } from './resilience-executor.js';
export { ResilienceModule } from './resilience.module.js';
export {
  getCircuitBreakerToken,
  RESILIENCE_CLOCK,
  RESILIENCE_EVENTS,
  RESILIENCE_EXECUTOR,
  RESILIENCE_RANDOM,
} from './tokens.js';
