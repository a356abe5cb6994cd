import { ConfigurationError } from './configuration-error.js';
import { nearest } from './nearest.js';

/** How a registry speaks of what it holds. */
export interface RegistryWords {
  /** The option that names one: `shield`. */
  readonly option: string;
  /** The option of the module that registers several: `shields`. */
  readonly list: string;
  /** What else an entry of that needs beside its name, as code. */
  readonly also?: string;
}

/** Things of one kind in one application, each under a name of its own. */
export abstract class NamedRegistry<T extends { readonly name: string }> {
  private readonly things = new Map<string, T>();
  private readonly words: RegistryWords;

  protected constructor(words: RegistryWords) {
    this.words = words;
  }

  /** Adds one under its name. @throws {ConfigurationError} when the name is taken by another one. */
  register(thing: T, name: string = thing.name): T {
    const present = this.things.get(name);
    if (present !== undefined && present !== thing) {
      throw new ConfigurationError({
        option: this.words.list,
        problem: `'${name}' is registered twice`,
        cure: 'give each a name of its own',
      });
    }
    this.things.set(name, thing);
    return thing;
  }

  has(name: string): boolean {
    return this.things.has(name);
  }

  /** The one of this name. @throws {ConfigurationError} when there is none, naming the nearest one. */
  get(name: string): T {
    const thing = this.things.get(name);
    if (thing !== undefined) return thing;
    const { option, list, also = '' } = this.words;
    const meant = nearest(name, this.things.keys());
    const cure =
      meant === undefined ? `register it: ${list}: [{ name: '${name}'${also} }]` : `did you mean '${meant}'?`;
    throw new ConfigurationError({ option, problem: `'${name}' is not registered`, cure });
  }

  /** All names, in the order they were added. */
  names(): readonly string[] {
    return [...this.things.keys()];
  }

  /** All of them, in the order they were added. */
  list(): readonly T[] {
    return [...this.things.values()];
  }
}
