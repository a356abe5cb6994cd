import { Inject } from '@nestjs/common';
import { getCircuitBreakerToken } from './tokens.js';

/** Injects the circuit breaker that the module registered under this name. */
export function InjectCircuitBreaker(name: string): PropertyDecorator & ParameterDecorator {
  return Inject(getCircuitBreakerToken(name));
}
