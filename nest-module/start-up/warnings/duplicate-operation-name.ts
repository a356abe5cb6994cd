import { memberName } from '../../../lib/container.js';
import type { FoundOperation } from '../found-operation.js';
import type { Finder } from './warning.js';

/** Operations of two methods under one name are one to whoever reads reports, events and `operations`. */
export const duplicateOperationNames: Finder = ({ operations }) => {
  const byName = new Map<string, FoundOperation[]>();
  for (const operation of operations) {
    const ofName = byName.get(operation.name);
    if (ofName === undefined) byName.set(operation.name, [operation]);
    else ofName.push(operation);
  }
  return [...byName].flatMap(([name, found]) => (found.length === 1 ? [] : describe(name, found)));
};

/** Instances of one class are no reason, nor are two layers of one method. */
function describe(name: string, found: readonly FoundOperation[]): string[] {
  const harm = 'so reports, events and settings mix them up';
  const classes = new Set(found.map(({ decorated }) => classOf(decorated.instance)));
  if (classes.size > 1)
    return [
      `${name} is the name of operations in ${classes.size} classes, ${harm}; rename a class, or give one of them a name: @Resilient({ name: '…' })`,
    ];
  const methods = new Set(found.map(({ method }) => method.key));
  if (methods.size === 1) return [];
  return [
    `${name} is the name of the methods ${[...methods].map((key) => memberName(undefined, key)).join(' and ')} of one class, ${harm}; give each a name of its own`,
  ];
}

function classOf(instance: object): unknown {
  return (instance as { constructor?: unknown }).constructor;
}
