import { ConfigurationError } from '../../errors/configuration-error.js';
import { nearest } from '../../errors/nearest.js';
import type { ConcurrencyLimit } from './concurrency-limit.js';

/** The named concurrency limits of one application. */
export class ConcurrencyLimitRegistry {
  private readonly limits = new Map<string, ConcurrencyLimit>();

  /** Adds a limit under its name. @throws {ConfigurationError} when the name is taken by another one. */
  register(limit: ConcurrencyLimit, name: string = limit.name): ConcurrencyLimit {
    const present = this.limits.get(name);
    if (present !== undefined && present !== limit) {
      throw new ConfigurationError({
        option: 'concurrencyLimits',
        problem: `'${name}' is registered twice`,
        cure: 'give each limit a name of its own',
      });
    }
    this.limits.set(name, limit);
    return limit;
  }

  has(name: string): boolean {
    return this.limits.has(name);
  }

  /** The limit of this name. @throws {ConfigurationError} when there is none, naming the nearest one. */
  get(name: string): ConcurrencyLimit {
    const limit = this.limits.get(name);
    if (limit !== undefined) return limit;
    const meant = nearest(name, this.limits.keys());
    const cure =
      meant === undefined
        ? `register it: concurrencyLimits: [{ name: '${name}', maxConcurrent: 10 }]`
        : `did you mean '${meant}'?`;
    throw new ConfigurationError({
      option: 'concurrencyLimit',
      problem: `'${name}' is not registered`,
      cure,
    });
  }

  /** The names of all limits, in the order they were added. */
  names(): readonly string[] {
    return [...this.limits.keys()];
  }

  /** All limits, in the order they were added. */
  list(): readonly ConcurrencyLimit[] {
    return [...this.limits.values()];
  }
}
