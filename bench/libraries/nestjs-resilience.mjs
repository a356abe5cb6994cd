import { load } from './load.mjs';

await load('reflect-metadata');
const { Logger } = await load('@nestjs/common');
const {
  CircuitBreakerStrategy,
  CircuitOpenedException,
  FallbackStrategy,
  RetryStrategy,
  TimeoutStrategy,
  UseResilience,
} = await load('nestjs-resilience');
// It writes a line for each call at debug level, which in production is switched off.
Logger.overrideLogger(false);

export default {
  build(fn, { retries, atOnce, timeoutMs, breaker, fallback }) {
    const strategies = [];
    if (timeoutMs !== undefined) strategies.push(new TimeoutStrategy(timeoutMs));
    if (breaker !== undefined) {
      const options = { sleepWindowInMilliseconds: 3_600_000, rollingWindowInMilliseconds: 3_600_000 };
      const percentage = { errorThresholdPercentage: breaker === 'never opens' ? 1e9 : 50 };
      strategies.push(new CircuitBreakerStrategy({ ...options, ...percentage }));
    }
    // One more than it is asked for: its generator of delays ends before the last of them.
    if (retries !== undefined)
      strategies.push(new RetryStrategy({ maxRetries: retries + 1, ...(atOnce ? { maxDelay: 0 } : {}) }));
    if (fallback !== undefined) strategies.push(new FallbackStrategy(fallback));
    return decorated(fn, strategies);
  },
  isRefusal: (error) => error instanceof CircuitOpenedException,
};

function decorated(fn, strategies) {
  class Client {
    call() {
      return fn();
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(Client.prototype, 'call');
  UseResilience(...strategies)(Client.prototype, 'call', descriptor);
  Object.defineProperty(Client.prototype, 'call', descriptor);
  const client = new Client();
  return () => client.call();
}
