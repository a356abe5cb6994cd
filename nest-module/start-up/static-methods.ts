import type { ModulesContainer } from '@nestjs/core';
import { decoratedMethodsOf, decoratedOwners, type DecoratedMethod } from '../../lib/container.js';

/** The decorated static methods of the classes that an application is made of, and of their base classes. */
export function staticMethods(modules: ModulesContainer): readonly DecoratedMethod[] {
  // Most processes have none, and need not look through the application.
  const owners = [...decoratedOwners()].filter((owner) => typeof owner === 'function');
  if (owners.length === 0) return [];
  const classes = [...modules.values()].flatMap(({ providers, controllers, injectables, middlewares }) =>
    [providers, controllers, injectables, middlewares].flatMap((wrappers) =>
      Array.from(wrappers.values(), ({ metatype }): unknown => metatype),
    ),
  );
  return owners
    .filter((owner) => classes.some((known) => known === owner || isSubclass(known, owner)))
    .flatMap(decoratedMethodsOf);
}

function isSubclass(known: unknown, owner: object): boolean {
  return typeof known === 'function' && Object.prototype.isPrototypeOf.call(owner, known);
}
