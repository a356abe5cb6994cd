import type { Finder } from './warning.js';

/** Operations of two classes under one name are one to whoever reads reports, events and `operations`. */
export const duplicateOperationNames: Finder = ({ operations }) => {
  const owners = new Map<string, Set<unknown>>();
  for (const { name, decorated } of operations) {
    const ofName = owners.get(name) ?? new Set();
    owners.set(name, ofName.add((decorated.instance as { constructor?: unknown }).constructor));
  }
  return [...owners]
    .filter(([, classes]) => classes.size > 1)
    .map(
      ([name, classes]) =>
        `${name} is the name of operations in ${classes.size} classes, so reports, events and settings mix them up; rename a class, or give one of them a name: @Resilient({ name: '…' })`,
    );
};
