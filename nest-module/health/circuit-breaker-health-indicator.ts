import { Inject, Injectable } from '@nestjs/common';
import { checkName, checkOptions, refuse } from '../../lib/container.js';
import { CircuitBreakerRegistry } from '../../lib/index.js';
import { healthOf, type CircuitBreakerHealth, type HalfOpenHealth } from './circuit-breaker-health.js';

/** Options of {@link CircuitBreakerHealthIndicator.isHealthy}. */
export interface CircuitBreakerHealthOptions {
  /** The one key to answer under. Default: the name of each circuit breaker. */
  readonly key?: string | undefined;
  /**
   * What a circuit breaker is that waits for the outcome of a probe, or for a call that will be one. Default `'up'`: a
   * check that keeps calls away would keep the probe away, too.
   */
  readonly halfOpen?: HalfOpenHealth | undefined;
}

/** The answer of a health indicator, in the shape of `@nestjs/terminus`. */
export type CircuitBreakerHealthResult = Record<string, CircuitBreakerHealth>;

/**
 * Tells a health check of `@nestjs/terminus` which circuit breakers are open:
 * `health.check([() => indicator.isHealthy('payments')])`. Looking uses up no probe.
 */
@Injectable()
export class CircuitBreakerHealthIndicator {
  constructor(@Inject(CircuitBreakerRegistry) private readonly registry: CircuitBreakerRegistry) {}

  /**
   * Whether a circuit breaker lets calls pass; several for a list, all without a name.
   * @throws {ConfigurationError} for a name that no circuit breaker is registered under, naming the nearest.
   */
  isHealthy(
    names?: string | readonly string[],
    options: CircuitBreakerHealthOptions = {},
  ): CircuitBreakerHealthResult {
    const { key, halfOpen } = checked(options);
    const listed = namesOf(names) ?? this.registry.names();
    const found = listed.map((name) => [name, this.read(name, halfOpen)] as const);
    if (key === undefined) return Object.fromEntries(found);
    return { [key]: typeof names === 'string' ? this.read(names, halfOpen) : together(found) };
  }

  private read(name: string, halfOpen: HalfOpenHealth): CircuitBreakerHealth {
    return healthOf(this.registry.get(checkName('names', name)).snapshot(), halfOpen);
  }
}

function checked(options: CircuitBreakerHealthOptions) {
  checkOptions('options', options, ['key', 'halfOpen']);
  const { key, halfOpen = 'up' } = options;
  if (!['up', 'down'].includes(halfOpen)) refuse('halfOpen', halfOpen, "give 'up' or 'down'");
  return { key: key === undefined ? undefined : checkName('key', key), halfOpen };
}

function namesOf(names: unknown): readonly string[] | undefined {
  if (names === undefined) return undefined;
  if (typeof names === 'string') return [names];
  // An empty list is most likely a mistake, and would always be healthy.
  if (!Array.isArray(names) || names.length === 0)
    refuse('names', names, 'give a name, a list of names, or nothing for all circuit breakers');
  return names as readonly string[];
}

/** Down when one of them is. */
function together(found: readonly (readonly [string, CircuitBreakerHealth])[]): CircuitBreakerHealth {
  const isDown = found.some(([, { status }]) => status === 'down');
  return { status: isDown ? 'down' : 'up', circuit_breakers: Object.fromEntries(found) };
}
