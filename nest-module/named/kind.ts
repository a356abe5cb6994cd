import type { Type } from '@nestjs/common';
import type { OperationHost } from '../../lib/container.js';

/** Something that the methods of an application share by its name. */
export interface Named {
  readonly name: string;
}

/** The options of the module that list such things. */
export type NamedOption = 'circuitBreakers' | 'shields' | 'concurrencyLimits';

/** The things of one kind, by their names. */
export interface NamedRegistry<T extends Named> {
  register(thing: T, name?: string): T;
  has(name: string): boolean;
  list(): readonly T[];
}

/**
 * One kind of named things: circuit breakers, shields, concurrency limits. Whatever the module does for one of them it
 * does for all, and asks here for what differs. `S` is what one is made of, as code or configuration writes it.
 */
export interface Kind<T extends Named = Named, S extends Named = Named> {
  readonly option: NamedOption;
  /** What names one of them elsewhere, for messages. */
  readonly single: string;
  /** For messages, in full and in short: `circuit breaker`, `breaker`. */
  readonly noun: string;
  readonly word: string;
  readonly className: string;
  /** What may be said of one beside its name. */
  readonly settings: readonly string[];
  /** Those of them that are objects of the application's own, of which nobody makes a copy. */
  readonly ownObjects: readonly string[];
  /** The least that must be said of one, for messages. */
  readonly leastSettings: string;
  readonly registry: Type<NamedRegistry<T>>;
  token(name: string): string;
  is(value: unknown): boolean;
  /** Reads the texts and makes it, in an application or only to be looked at. @throws {ConfigurationError} */
  make(settings: S, host?: OperationHost): T;
  /** Whether two settings make the same thing; of functions only one that is the same is known to be. */
  isSame(one: S, other: S): boolean;
  print(settings: S): string;
}
