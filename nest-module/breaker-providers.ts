import type { FactoryProvider } from '@nestjs/common';
import { CircuitBreakerRegistry, ConfigurationError, type CircuitBreaker } from '../lib/index.js';
import type { CircuitBreakerRegistration } from './options.js';
import { RESILIENCE_OPTIONS, type ResolvedOptions } from './resolved-options.js';
import { SharedBreakers } from './shared-breakers.js';
import { getCircuitBreakerToken, uniqueToken } from './tokens.js';

/** The breakers of the root module, whose settings may come later than their names. */
export function breakerProviders(names: readonly string[]): FactoryProvider<CircuitBreaker>[] {
  return names.map((name) => ({
    provide: getCircuitBreakerToken(name),
    inject: [SharedBreakers, RESILIENCE_OPTIONS],
    useFactory: (shared: SharedBreakers, { circuitBreakers }: ResolvedOptions) =>
      shared.obtain(circuitBreakers.get(name) as CircuitBreakerRegistration),
  }));
}

/** The breakers of a feature, and what makes them known to the whole application. */
export function featureProviders(
  breakers: ReadonlyMap<string, CircuitBreakerRegistration>,
): FactoryProvider[] {
  const names = [...breakers.keys()];
  const providers: FactoryProvider[] = names.map((name) => ({
    provide: getCircuitBreakerToken(name),
    inject: [{ token: SharedBreakers, optional: true }],
    useFactory: (shared: SharedBreakers | undefined) => {
      if (shared !== undefined) return shared.obtain(breakers.get(name) as CircuitBreakerRegistration);
      throw new ConfigurationError({
        option: 'ResilienceModule.forFeature',
        problem: 'is imported without ResilienceModule.forRoot',
        cure: 'import ResilienceModule.forRoot() in the root module',
      });
    },
  }));
  return [...providers, linkProvider(names)];
}

/** What a test put in a breaker's place is what methods get by its name, too; a test's factory runs in every module. */
function linkProvider(names: readonly string[]): FactoryProvider {
  return {
    provide: uniqueToken('relprim/feature-link'),
    inject: [{ token: CircuitBreakerRegistry, optional: true }, ...names.map(getCircuitBreakerToken)],
    useFactory: (registry: CircuitBreakerRegistry | undefined, ...breakers: CircuitBreaker[]) => {
      for (const [index, name] of names.entries())
        if (registry?.has(name) === false) registry.register(breakers[index] as CircuitBreaker, name);
      return registry;
    },
  };
}
