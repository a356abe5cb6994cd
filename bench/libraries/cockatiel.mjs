import { load } from './load.mjs';

const {
  BrokenCircuitError,
  circuitBreaker,
  ConsecutiveBreaker,
  ConstantBackoff,
  ExponentialBackoff,
  fallback: fallbackTo,
  handleAll,
  retry,
  timeout,
  TimeoutStrategy,
  wrap,
} = await load('cockatiel');

const FAILURES = { closed: 5, 'never opens': 1e9, open: 1 };

export default {
  build(fn, { retries, atOnce, timeoutMs, breaker, fallback }) {
    const policies = [];
    if (fallback !== undefined) policies.push(fallbackTo(handleAll, fallback));
    if (retries !== undefined) {
      const backoff = atOnce ? new ConstantBackoff(0) : new ExponentialBackoff();
      policies.push(retry(handleAll, { maxAttempts: retries, backoff }));
    }
    if (breaker !== undefined) {
      const options = { halfOpenAfter: 3_600_000, breaker: new ConsecutiveBreaker(FAILURES[breaker]) };
      policies.push(circuitBreaker(handleAll, options));
    }
    if (timeoutMs !== undefined) policies.push(timeout(timeoutMs, TimeoutStrategy.Aggressive));
    const policy = policies.length === 1 ? policies[0] : wrap(...policies);
    return () => policy.execute(fn);
  },
  isRefusal: (error) => error instanceof BrokenCircuitError,
};
