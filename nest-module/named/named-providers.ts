import type { FactoryProvider } from '@nestjs/common';
import { ConfigurationError } from '../../lib/index.js';
import { RESILIENCE_OPTIONS, type ResolvedOptions } from '../resolved-options.js';
import { uniqueToken } from '../tokens.js';
import type { Kind, Named, NamedRegistry } from './kind.js';
import { KINDS, type ByKind, type Registrations } from './kinds.js';
import { SharedThings } from './shared-things.js';

/** The named things of the root module, whose settings may come later than their names, and their registries. */
export function namedProviders(names: ByKind<readonly string[]>): FactoryProvider[] {
  return KINDS.flatMap((kind) => {
    const ofKind = names[kind.option];
    return [...ofKind.map((name) => rootProvider(kind, name)), registryProvider(kind, ofKind)];
  });
}

/** The tokens of these things. */
export function tokensOf(names: ByKind<readonly string[]>): string[] {
  return KINDS.flatMap((kind) => names[kind.option].map((name) => kind.token(name)));
}

/** The named things of a feature, and what makes them known to the whole application. */
export function featureProviders(registrations: Registrations): FactoryProvider[] {
  return KINDS.flatMap((kind) => {
    const entries = [...registrations[kind.option].values()];
    if (entries.length === 0) return [];
    return [...entries.map((entry) => featureProvider(kind, entry)), linkProvider(kind, entries)];
  });
}

function rootProvider(kind: Kind, name: string): FactoryProvider<Named> {
  return {
    provide: kind.token(name),
    inject: [SharedThings, RESILIENCE_OPTIONS],
    useFactory: (shared: SharedThings, { named }: ResolvedOptions) =>
      shared.obtain(kind, named[kind.option].get(name) as Named),
  };
}

function registryProvider(kind: Kind, names: readonly string[]): FactoryProvider {
  return {
    provide: kind.registry,
    inject: names.map((name) => kind.token(name)),
    useFactory: (...things: Named[]) => {
      const registry = new kind.registry();
      things.forEach((thing, index) => registry.register(thing, names[index]));
      return registry;
    },
  };
}

function featureProvider(kind: Kind, registration: Named): FactoryProvider<Named> {
  return {
    provide: kind.token(registration.name),
    inject: [{ token: SharedThings, optional: true }],
    useFactory: (shared: SharedThings | undefined) => {
      if (shared !== undefined) return shared.obtain(kind, registration);
      throw new ConfigurationError({
        option: 'ResilienceModule.forFeature',
        problem: 'is imported without ResilienceModule.forRoot',
        cure: 'import ResilienceModule.forRoot() in the root module',
      });
    },
  };
}

/** What a test put in a thing's place is what methods get by its name, too; a test's factory runs in every module. */
function linkProvider(kind: Kind, entries: readonly Named[]): FactoryProvider {
  const names = entries.map(({ name }) => name);
  return {
    provide: uniqueToken('relprim/feature-link'),
    inject: [{ token: kind.registry, optional: true }, ...names.map((name) => kind.token(name))],
    useFactory: (registry: NamedRegistry<Named> | undefined, ...things: Named[]) => {
      for (const [index, name] of names.entries())
        if (registry?.has(name) === false) registry.register(things[index] as Named, name);
      return registry;
    },
  };
}
