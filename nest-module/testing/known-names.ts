import { checkName, located, nearest } from '../../lib/container.js';
import { ConfigurationError } from '../../lib/index.js';

/** The names of an application's operations. They are complete once it has started. */
export class KnownNames {
  private readonly names = new Set<string>();
  private isComplete = false;

  add(operationName: string): void {
    this.names.add(operationName);
  }

  /** @throws {ConfigurationError} for names that were given before, by where they were given, and that no operation has. */
  complete(given: Readonly<Record<string, readonly string[]>>): void {
    this.isComplete = true;
    for (const [path, names] of Object.entries(given))
      for (const name of names) located(`ResilienceTesting.${path}`, () => this.check(name));
  }

  /** @throws {ConfigurationError} for a name that no operation has; unless it is too early to tell. */
  check(operationName: string): void {
    checkName('operationName', operationName);
    if (!this.isComplete || this.names.has(operationName)) return;
    const meant = nearest(operationName, this.names);
    const cure = meant === undefined ? 'operations are named Class.method' : `did you mean '${meant}'?`;
    throw new ConfigurationError({
      option: 'operationName',
      problem: `'${operationName}' is not known`,
      cure,
    });
  }
}
