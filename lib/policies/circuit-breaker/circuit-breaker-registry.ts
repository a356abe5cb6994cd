import { checkFunction, checkName } from '../../errors/check.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import { nearest } from '../../errors/nearest.js';
import { CircuitBreaker } from './circuit-breaker.js';
import type { CircuitBreakerOptions } from './circuit-breaker-options.js';
import type { TransitionListener } from './transition-listeners.js';

/** Somebody who is told of the changes of all breakers. */
interface Watcher {
  readonly listener: TransitionListener;
  readonly ends: (() => void)[];
}

/** The named circuit breakers of one application. */
export class CircuitBreakerRegistry {
  private readonly breakers = new Map<string, CircuitBreaker>();
  private readonly watchers = new Set<Watcher>();

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
    const isNew = !this.list().includes(breaker);
    this.breakers.set(name, breaker);
    if (isNew) for (const watcher of this.watchers) watch(breaker, watcher);
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

  /** The names of all breakers, in the order they were added. */
  names(): readonly string[] {
    return [...this.breakers.keys()];
  }

  /** All breakers, in the order they were added. */
  list(): readonly CircuitBreaker[] {
    return [...this.breakers.values()];
  }

  /** `onTransition` of all breakers, those that are added later too. Gives a function that ends it. */
  onTransition(listener: TransitionListener): () => void {
    checkFunction('listener', listener);
    const watcher: Watcher = { listener, ends: [] };
    for (const breaker of new Set(this.breakers.values())) watch(breaker, watcher);
    this.watchers.add(watcher);
    return () => {
      this.watchers.delete(watcher);
      for (const end of watcher.ends.splice(0)) end();
    };
  }
}

function watch(breaker: CircuitBreaker, { listener, ends }: Watcher): void {
  // A test may have put something simpler in a breaker's place.
  if (typeof (breaker as Partial<CircuitBreaker>).onTransition === 'function')
    ends.push(breaker.onTransition(listener));
}
