import { checkFunction, checkName } from '../../errors/check.js';
import { NamedRegistry } from '../../errors/named-registry.js';
import { CircuitBreaker } from './circuit-breaker.js';
import type { CircuitBreakerOptions } from './circuit-breaker-options.js';
import type { TransitionListener } from './transition-listeners.js';

/** Somebody who is told of the changes of all breakers. */
interface Watcher {
  readonly listener: TransitionListener;
  readonly ends: (() => void)[];
}

/** The named circuit breakers of one application. */
export class CircuitBreakerRegistry extends NamedRegistry<CircuitBreaker> {
  private readonly watchers = new Set<Watcher>();

  constructor() {
    super({ option: 'circuitBreaker', list: 'circuitBreakers' });
  }

  /** Adds a breaker under its name. @throws {ConfigurationError} when the name is taken by another one. */
  override register(breaker: CircuitBreaker, name: string = breaker.name): CircuitBreaker {
    const isNew = !this.list().includes(breaker);
    super.register(breaker, name);
    if (isNew) for (const watcher of this.watchers) watch(breaker, watcher);
    return breaker;
  }

  /** Makes a breaker and adds it. */
  create(options: CircuitBreakerOptions & { readonly name: string }): CircuitBreaker {
    checkName('name', options.name);
    return this.register(new CircuitBreaker(options));
  }

  /** `onTransition` of all breakers, those that are added later too. Gives a function that ends it. */
  onTransition(listener: TransitionListener): () => void {
    checkFunction('listener', listener);
    const watcher: Watcher = { listener, ends: [] };
    for (const breaker of new Set(this.list())) watch(breaker, watcher);
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
