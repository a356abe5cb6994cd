import { nearest } from '../../errors/nearest.js';
import { CircuitBreaker } from '../../policies/circuit-breaker/circuit-breaker.js';
import type { CircuitBreakerTransition } from '../../policies/circuit-breaker/circuit-breaker-state.js';
import { CircuitBreakerRegistry } from '../../policies/circuit-breaker/circuit-breaker-registry.js';
import { httpCircuitBreaker } from '../../policies/circuit-breaker/http-circuit-breaker.js';
import type { ExecutionReport } from '../../report/execution-report.js';
import type { Clock } from '../../time/clock.js';
import type { Random } from '../../time/random.js';
import type { HttpAnswer } from '../http/answer.js';
import { ArgumentError } from '../tools/argument-error.js';
import { statsOf, type BreakerStats } from './breaker-stats.js';
import { BreakerTally } from './breaker-tally.js';
import type { BreakerDefinition } from './definition.js';

export interface BreakerBookOptions {
  readonly registry: CircuitBreakerRegistry | undefined;
  readonly maxBreakers: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** The named breakers of one server: those that agents made, and those of an application that shows its own. */
export class BreakerBook {
  private readonly registry: CircuitBreakerRegistry;
  private readonly definitions = new Map<string, BreakerDefinition>();
  private readonly tallies = new Map<string, BreakerTally>();
  private readonly readers = new Set<() => void>();
  private readonly endCount: () => void;

  constructor(private readonly options: BreakerBookOptions) {
    this.registry = options.registry ?? new CircuitBreakerRegistry();
    this.endCount = this.registry.onTransition((transition) => {
      const { breakerName } = transition;
      // Breakers of single keys tell theirs through the one that they belong to.
      if (this.registry.has(breakerName)) this.tally(breakerName).onTransition(transition);
    });
  }

  /** Looks at the breakers of the application no longer. */
  close(): void {
    this.endCount();
  }

  /** @throws {ArgumentError} when the name stands for another breaker, or there are too many. */
  create(definition: BreakerDefinition): { readonly breaker: CircuitBreaker; readonly created: boolean } {
    const { name } = definition;
    if (this.registry.has(name)) {
      const known = this.definitions.get(name);
      if (known !== undefined && JSON.stringify(known) === JSON.stringify(definition))
        return { breaker: this.registry.get(name), created: false };
      throw new ArgumentError(
        `name: the breaker '${name}' exists with other settings; use it as it is, or choose another name`,
      );
    }
    const { maxBreakers } = this.options;
    if (this.registry.names().length >= maxBreakers)
      throw new ArgumentError(
        `there are ${maxBreakers} breakers, which is the most; use one of list_breakers`,
      );
    const breaker = this.registry.register(this.make(definition));
    this.definitions.set(name, definition);
    for (const tell of this.readers) tell();
    return { breaker, created: true };
  }

  /** @throws {ArgumentError} when there is none, with the nearest name. */
  get(name: string): CircuitBreaker {
    if (this.registry.has(name)) return this.registry.get(name);
    const meant = nearest(name.slice(0, 64), this.names());
    const cure = meant === undefined ? 'make it with create_breaker' : `did you mean '${meant}'?`;
    throw new ArgumentError(`there is no breaker '${name.slice(0, 64)}'; ${cure}`);
  }

  has(name: string): boolean {
    return this.registry.has(name);
  }

  names(): readonly string[] {
    return this.registry.names();
  }

  /** `undefined` for a breaker of the application. */
  definitionOf(name: string): BreakerDefinition | undefined {
    return this.definitions.get(name);
  }

  stats(name: string): BreakerStats {
    return statsOf(this.get(name), name, this.tally(name));
  }

  onReport(name: string, report: ExecutionReport): void {
    this.tally(name).onReport(report);
  }

  /** Gives a function that ends it. */
  onTransition(listener: (transition: CircuitBreakerTransition) => void): () => void {
    return this.registry.onTransition(listener);
  }

  /** Tells of each breaker that is made from now on. Gives a function that ends it. */
  onCreated(listener: () => void): () => void {
    const tell = (): void => listener();
    this.readers.add(tell);
    return () => void this.readers.delete(tell);
  }

  private make(definition: BreakerDefinition): CircuitBreaker {
    const { name, failureRate, window, cooldownSeconds, probe, concurrentProbes, budget } = definition;
    const options = httpCircuitBreaker(name, {
      failureRate,
      window,
      minimumCalls: definition.minimumCalls ?? Math.min(window, 10),
      recoveryTimeout: cooldownSeconds,
      probes: { successes: probe, concurrent: concurrentProbes },
      budget: budget && { limit: budget.limit, per: budget.perSeconds, cost: ({ cost }: HttpAnswer) => cost },
      clock: this.options.clock,
      random: this.options.random,
    });
    return new CircuitBreaker(options);
  }

  private tally(name: string): BreakerTally {
    let tally = this.tallies.get(name);
    if (tally === undefined) this.tallies.set(name, (tally = new BreakerTally()));
    return tally;
  }
}
