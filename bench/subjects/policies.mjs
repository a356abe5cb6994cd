// What each policy costs by itself when all goes well.
import {
  CircuitBreaker,
  ConcurrencyLimit,
  fallbackChain,
  idempotencyPolicy,
  RateLimitPolicy,
  RetryPolicy,
  Shield,
  TimeoutPolicy,
  validationPolicy,
  validator,
} from 'relprim';
import { operation, run } from './relprim.mjs';
import { works } from './work.mjs';

export const validation = () =>
  validationPolicy(validator('positive', (n) => n > 0, { message: 'not above 0' }));
export const limit = () => new ConcurrencyLimit({ maxConcurrent: 10 });
export const rateLimit = () => new RateLimitPolicy({ rateLimitOn: (error) => error.status === 429 });

const TWO = 'relprim: retry + timeout';

export default {
  'relprim: no policy': { make: () => run(operation()) },
  'relprim: retry': { make: () => run(operation().withRetry(new RetryPolicy())) },
  'relprim: timeout': { make: () => run(operation().withTimeout(new TimeoutPolicy(10))) },
  'relprim: breaker': { make: () => run(operation().withCircuitBreaker(new CircuitBreaker())) },
  'relprim: rate limit': { make: () => run(operation().withRateLimit(rateLimit())) },
  'relprim: validation': { make: () => run(operation().withValidation(validation())) },
  'relprim: concurrency limit': { make: () => run(operation().withConcurrencyLimit(limit())) },
  'relprim: fallback, unused': {
    make: () => run(operation().withFallbacks(fallbackChain(['other', works]))),
  },
  'relprim: deadline': { make: () => run(operation().withDeadline('30s')) },
  'relprim: idempotency, a key for each call': {
    make() {
      const keyed = operation(async (_key) => 1).withIdempotency(idempotencyPolicy((key) => key));
      let count = 0;
      return { call: () => keyed.run(`key ${(count += 1)}`) };
    },
    changesProcess: true,
  },
  [TWO]: {
    make: () => run(operation().withRetry(new RetryPolicy()).withTimeout(new TimeoutPolicy(10))),
  },
  'relprim: a shield that was never slow': {
    make() {
      const shield = Shield.internal('bench');
      return { call: () => shield.run(works) };
    },
    over: TWO,
    marks: { moreNs: 200 },
  },
};
