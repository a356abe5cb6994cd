import {
  asyncOperation,
  CircuitBreaker,
  CircuitBreakerOpenError,
  fallbackChain,
  RetryPolicy,
  TimeoutPolicy,
} from 'relprim';

const noDelay = { delayForRetry: () => 0 };

export default {
  build(fn, { retries, atOnce, timeoutMs, breaker, fallback }) {
    let operation = asyncOperation('bench', fn);
    if (retries !== undefined) {
      const backoff = atOnce ? noDelay : undefined;
      operation = operation.withRetry(new RetryPolicy({ maxAttempts: retries + 1, backoff }));
    }
    if (timeoutMs !== undefined) operation = operation.withTimeout(new TimeoutPolicy(`${timeoutMs}ms`));
    if (breaker !== undefined) {
      const options = {
        closed: {},
        'never opens': { failureThreshold: 1e9 },
        open: { failureThreshold: 1, recoveryTimeout: '1h' },
      };
      operation = operation.withCircuitBreaker(new CircuitBreaker({ name: 'bench', ...options[breaker] }));
    }
    if (fallback !== undefined) operation = operation.withFallbacks(fallbackChain(['other', fallback]));
    return () => operation.run();
  },
  isRefusal: (error) => error.cause instanceof CircuitBreakerOpenError,
};
