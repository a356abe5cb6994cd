import { Inject } from '@nestjs/common';
import { getCircuitBreakerToken, getConcurrencyLimitToken, getShieldToken } from './tokens.js';

/** Injects the circuit breaker that the module registered under this name. */
export function InjectCircuitBreaker(name: string): PropertyDecorator & ParameterDecorator {
  return Inject(getCircuitBreakerToken(name));
}

/** Injects the shield that the module registered under this name. */
export function InjectShield(name: string): PropertyDecorator & ParameterDecorator {
  return Inject(getShieldToken(name));
}

/** Injects the concurrency limit that the module registered under this name. */
export function InjectConcurrencyLimit(name: string): PropertyDecorator & ParameterDecorator {
  return Inject(getConcurrencyLimitToken(name));
}
