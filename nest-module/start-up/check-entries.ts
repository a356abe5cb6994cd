import {
  decoratedMethodsOf,
  decoratedOwners,
  memberName,
  nearest,
  type ModulePolicies,
} from '../../lib/container.js';
import { ConfigurationError } from '../../lib/index.js';

/** Finds entries of `operations` that are about nothing: a misspelt name would otherwise be silence. */
export function checkEntries(
  { operations = {} }: ModulePolicies,
  known: ReadonlySet<string>,
): ConfigurationError[] {
  return Object.keys(operations)
    .filter((name) => !known.has(name))
    .flatMap((name) => {
      const elsewhere = operationsElsewhere(name);
      if (elsewhere.includes(name)) return [];
      return new ConfigurationError({
        option: `operations['${name}']`,
        problem: 'is about no decorated method of this application',
        cure: cureOf(name, known, elsewhere[0]),
        path: 'ResilienceModule',
      });
    });
}

function cureOf(name: string, known: ReadonlySet<string>, ownName: string | undefined): string {
  if (ownName !== undefined) return `the operation of that method is named '${ownName}'`;
  const meant = nearest(
    name,
    [...known].filter((candidate) => isNear(name, candidate)),
  );
  return meant === undefined
    ? 'give the exact name of an operation, Class.method'
    : `did you mean '${meant}'?`;
}

/** Class and method each by itself: a long name of a class would make all its methods alike. */
function isNear(name: string, candidate: string): boolean {
  const [parts, others] = [name.split('.'), candidate.split('.')];
  return (
    parts.length === others.length &&
    parts.every((part, index) => nearest(part, [others[index] as string]) !== undefined)
  );
}

/**
 * The operations of methods that this process knows by that name, and no module has yet: a module that is loaded late
 * may bring them.
 */
function operationsElsewhere(name: string): readonly string[] {
  const found: string[] = [];
  for (const owner of decoratedOwners())
    for (const { key, options } of decoratedMethodsOf(owner))
      if ([options.name, memberName(owner, key)].includes(name))
        found.push(options.name ?? memberName(owner, key));
  return found;
}
