import {
  decoratedOwners,
  memberName,
  nearest,
  decoratedMethodsOf,
  type ModulePolicies,
} from '../../lib/container.js';
import { ConfigurationError } from '../../lib/index.js';

/** Finds entries of `operations` that are about nothing: a misspelt name would otherwise be silence. */
export function checkEntries(
  { operations = {} }: ModulePolicies,
  known: ReadonlySet<string>,
): ConfigurationError[] {
  return Object.keys(operations)
    .filter((name) => !known.has(name) && !isElsewhere(name))
    .map((name) => {
      const meant = nearest(name, known);
      const cure =
        meant === undefined
          ? 'give the exact name of an operation, Class.method'
          : `did you mean '${meant}'?`;
      return new ConfigurationError({
        option: `operations['${name}']`,
        problem: 'is about no decorated method of this application',
        cure,
        path: 'ResilienceModule',
      });
    });
}

/** A class that this process knows and no module has yet: a module that is loaded late may bring it. */
function isElsewhere(name: string): boolean {
  for (const owner of decoratedOwners()) {
    for (const { key, options } of decoratedMethodsOf(owner))
      if ((options.name ?? memberName(owner, key)) === name) return true;
  }
  return false;
}
