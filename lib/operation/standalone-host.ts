import type { TimeOptions } from '../errors/check.js';
import type { ConcurrencyLimit } from '../policies/concurrency-limit/concurrency-limit.js';
import { CircuitBreaker } from '../policies/circuit-breaker/circuit-breaker.js';
import { hostBasics, type OperationHost } from './host.js';

/**
 * The host of operations outside any application. A breaker given by name is one with default settings that belongs
 * to the instance alone, so that nothing leaks from one test to the next.
 */
export class StandaloneHost implements OperationHost {
  readonly clock;
  readonly random;
  readonly observers;
  readonly warn;
  readonly isApplication = false;
  private readonly breakers = new WeakMap<object, Map<string, CircuitBreaker>>();
  private readonly warned = new Set<string>();

  constructor(options: TimeOptions = {}) {
    const basics = hostBasics(options);
    this.clock = basics.clock;
    this.random = basics.random;
    this.observers = basics.observers;
    this.warn = basics.warn;
  }

  circuitBreaker(name: string, instance: unknown): CircuitBreaker {
    const isOwner = (typeof instance === 'object' && instance !== null) || typeof instance === 'function';
    const owner = isOwner ? instance : this;
    let ofOwner = this.breakers.get(owner);
    if (ofOwner === undefined) this.breakers.set(owner, (ofOwner = new Map<string, CircuitBreaker>()));
    let breaker = ofOwner.get(name);
    if (breaker === undefined) {
      ofOwner.set(name, (breaker = new CircuitBreaker({ name })));
      this.warnOnce(
        `circuit breaker '${name}' is given by name outside an application, so each instance has one of its own with default settings; ` +
          `import ResilienceModule, or give a CircuitBreaker`,
      );
    }
    return breaker;
  }

  concurrencyLimit(name: string): ConcurrencyLimit | undefined {
    this.warnOnce(
      `concurrency limit '${name}' is given by name outside an application, where nobody knows it, so nothing is limited; ` +
        `import ResilienceModule, or give a ConcurrencyLimit`,
    );
    return undefined;
  }

  private warnOnce(message: string): void {
    if (this.warned.has(message)) return;
    this.warned.add(message);
    this.warn(message);
  }
}

/** The host of everything that is called outside an application and says nothing of time or chance. */
export const standaloneHost: OperationHost = new StandaloneHost();
