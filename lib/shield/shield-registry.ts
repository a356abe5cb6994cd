import { ConfigurationError } from '../errors/configuration-error.js';
import { nearest } from '../errors/nearest.js';
import type { Shield } from './shield.js';

/** The named shields of one application. */
export class ShieldRegistry {
  private readonly shields = new Map<string, Shield>();

  /** Adds a shield under its name. @throws {ConfigurationError} when the name is taken by another one. */
  register(shield: Shield, name: string = shield.name): Shield {
    const present = this.shields.get(name);
    if (present !== undefined && present !== shield) {
      throw new ConfigurationError({
        option: 'shields',
        problem: `'${name}' is registered twice`,
        cure: 'give each shield a name of its own',
      });
    }
    this.shields.set(name, shield);
    return shield;
  }

  has(name: string): boolean {
    return this.shields.has(name);
  }

  /** The shield of this name. @throws {ConfigurationError} when there is none, naming the nearest one. */
  get(name: string): Shield {
    const shield = this.shields.get(name);
    if (shield !== undefined) return shield;
    const meant = nearest(name, this.shields.keys());
    const cure =
      meant === undefined ? `register it: shields: [{ name: '${name}' }]` : `did you mean '${meant}'?`;
    throw new ConfigurationError({ option: 'shield', problem: `'${name}' is not registered`, cure });
  }

  /** The names of all shields, in the order they were added. */
  names(): readonly string[] {
    return [...this.shields.keys()];
  }

  /** All shields, in the order they were added. */
  list(): readonly Shield[] {
    return [...this.shields.values()];
  }
}
