import { circuitBreakers } from './circuit-breakers.js';
import { concurrencyLimits } from './concurrency-limits.js';
import type { Kind, Named, NamedOption } from './kind.js';
import { shields } from './shields.js';

export const KINDS: readonly Kind[] = [circuitBreakers, shields, concurrencyLimits];

/** One entry for each kind of things, under the option that lists them. */
export type ByKind<T> = Readonly<Record<NamedOption, T>>;

/** What an application has by name, of every kind: names, and how each thing is made. */
export type Registrations = ByKind<ReadonlyMap<string, Named>>;

export const NAMED_OPTIONS: readonly NamedOption[] = KINDS.map(({ option }) => option);

export function byKind<T>(make: (kind: Kind) => T): ByKind<T> {
  return Object.fromEntries(KINDS.map((kind) => [kind.option, make(kind)])) as ByKind<T>;
}
