// Shorthands for operations and decorated methods.
import { asyncOperation, CircuitBreaker, Resilient, RetryPolicy, TimeoutPolicy } from 'relprim';
import { fails, taken, works } from './work.mjs';

export const operation = (fn = works) => asyncOperation('bench', fn);
export const run = (subject) => ({ call: () => subject.run() });

export const three = (fn) =>
  operation(fn)
    .withRetry(new RetryPolicy())
    .withTimeout(new TimeoutPolicy(10))
    .withCircuitBreaker(new CircuitBreaker({ name: 'bench' }));

/** The same three as options of a decorator. */
export const threeOptions = () => ({ retries: 2, timeout: 10, circuitBreaker: new CircuitBreaker() });

export async function openBreaker() {
  const breaker = new CircuitBreaker({ name: 'open', failureThreshold: 1, recoveryTimeout: '1h' });
  await taken(() => breaker.run(fails))();
  return breaker;
}

/** A class with one decorated method, written without decorator syntax so that the bench needs no compiler. */
export function classWith(options, fn = works) {
  class Client {
    call() {
      return fn();
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(Client.prototype, 'call');
  Resilient(options)(Client.prototype, 'call', descriptor);
  Object.defineProperty(Client.prototype, 'call', descriptor);
  return Client;
}

export function decorated(options, fn) {
  const client = new (classWith(options, fn))();
  return () => client.call();
}
