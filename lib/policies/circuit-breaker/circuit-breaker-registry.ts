import { checkName } from '../../errors/check.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { nearest } from '../../errors/nearest.js';
import { CircuitBreaker } from './circuit-breaker.js';
import type { CircuitBreakerOptions } from './circuit-breaker-options.js';

/** The named circuit breakers of one application. */
export class CircuitBreakerRegistry {
  private readonly breakers = new Map<string, CircuitBreaker>();

  /** Adds a breaker under its name. @throws {ConfigurationError} when the name is taken by another one. */
  register(breaker: CircuitBreaker, name: string = breaker.name): CircuitBreaker {
    const present = this.breakers.get(name);
    if (present !== undefined && present !== breaker) {
      const problem = `'${name}' is registered twice`;
      throw new ConfigurationError({
        option: 'circuitBreakers',
        problem,
        cure: 'give each breaker a name of its own',
      });
    }
    this.breakers.set(name, breaker);
    return breaker;
  }

  /** Makes a breaker and adds it. */
  create(options: CircuitBreakerOptions & { readonly name: string }): CircuitBreaker {
    checkName('name', options.name);
    return this.register(new CircuitBreaker(options));
  }

  has(name: string): boolean {
    return this.breakers.has(name);
  }

  /** The breaker of this name. @throws {ConfigurationError} when there is none, naming the nearest one. */
  get(name: string): CircuitBreaker {
    const breaker = this.breakers.get(name);
    if (breaker !== undefined) return breaker;
    const meant = nearest(name, this.breakers.keys());
    const cure =
      meant === undefined
        ? `register it: circuitBreakers: [{ name: '${name}' }]`
        : `did you mean '${meant}'?`;
    throw new ConfigurationError({ option: 'circuitBreaker', problem: `'${name}' is not registered`, cure });
  }

  /** All breakers, in the order they were added. */
  list(): readonly CircuitBreaker[] {
    return [...this.breakers.values()];
  }
}
