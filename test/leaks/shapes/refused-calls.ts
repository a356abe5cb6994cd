import { CircuitBreaker, ConcurrencyLimit, resilient, resultOf, Shield } from '../../../lib/index.js';
import { FakeClock } from '../../../lib/testing/index.js';
import { endingOf, hang, later, shortDelay, type Shape } from './shape.js';

export const refusedCalls: readonly Shape[] = [
  {
    name: 'a refusal of an open breaker',
    endings: { 'failed 1 CircuitBreakerOpenError': 1 },
    begin: ({ signal, clock }) => {
      const circuitBreaker = new CircuitBreaker({ clock });
      circuitBreaker.forceOpen('a test');
      const run = resilient({ name: 'op', retries: 2, timeout: '1h', circuitBreaker, signal, clock }, later);
      return () => endingOf(run());
    },
  },
  {
    name: 'a refusal of an open breaker, and a fallback',
    endings: { 'succeeded 2': 1 },
    begin: ({ signal, clock }) => {
      const circuitBreaker = new CircuitBreaker({ clock });
      circuitBreaker.forceOpen('a test');
      const run = resilient({ name: 'op', fallback: later, circuitBreaker, signal, clock }, later);
      return () => endingOf(run());
    },
  },
  {
    name: 'a refusal of a concurrency limit, tried again in vain',
    endings: { 'failed 2 ConcurrencyLimitError': 1 },
    timersLeft: 1,
    together: 500,
    begin: ({ signal, clock, atEnd }) => {
      const concurrencyLimit = new ConcurrencyLimit({ maxConcurrent: 1, clock });
      const inside = new AbortController();
      void concurrencyLimit.runWith({ signal: inside.signal }, hang).catch(() => undefined);
      atEnd(() => inside.abort());
      const options = {
        retries: 1,
        backoff: shortDelay,
        deadline: '1h',
        concurrencyLimit,
        signal,
        clock,
      } as const;
      const run = resilient({ name: 'op', ...options }, later);
      return () => endingOf(run());
    },
  },
  {
    name: 'a refusal of a concurrency limit after a wait in line',
    endings: { 'failed 1 ConcurrencyLimitError': 1 },
    together: 1_000,
    begin: ({ signal, clock, atEnd }) => {
      const queue = { size: 1_000, maxWait: '1ms' } as const;
      const concurrencyLimit = new ConcurrencyLimit({ maxConcurrent: 1, queue, clock });
      const inside = new AbortController();
      void concurrencyLimit.runWith({ signal: inside.signal }, hang).catch(() => undefined);
      atEnd(() => inside.abort());
      const run = resilient({ name: 'op', timeout: '1h', concurrencyLimit, signal, clock }, later);
      return () => endingOf(run());
    },
  },
  {
    name: 'a refusal of a shield whose rate is used up',
    endings: { 'failed 1 ShieldLimitedError': 1 },
    begin: ({ signal }) => {
      // Time stands still, so that there is room for one call.
      const clock = new FakeClock();
      const options = { maxRate: 0.05, whenLimited: 'reject', clock, env: false } as const;
      const shield = Shield.slow('used-up', options);
      const first = shield.run(later);
      const run = shield.protect(later);
      return async () => {
        await first;
        return endingOf(resultOf(run, { signal }));
      };
    },
  },
];
