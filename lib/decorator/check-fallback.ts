import { ConfigurationError } from '../errors/configuration-error.js';
import { nearest } from '../errors/nearest.js';
import type { DecoratedMethod } from './decorated-method.js';
import { decoratedMethodOf } from './registry.js';

/**
 * A fallback that is given by name must be there, and must not lead back to the method itself: that would go round
 * for ever while both fail.
 * @throws {ConfigurationError} otherwise.
 */
export function checkFallbackName(
  method: DecoratedMethod,
  fallback: unknown,
  instance: unknown,
  fallbackOf: (method: DecoratedMethod) => unknown,
): void {
  if (isPrototype(instance)) return; // its instances may get the fallback as a property of their own
  const seen = new Set<unknown>([method.key]);
  for (let name = fallback; typeof name === 'string';) {
    const found = (instance as Record<string, unknown> | null | undefined)?.[name];
    if (typeof found !== 'function' || name in Object.prototype) {
      const meant = nearest(name, methodNames(instance));
      const cure = meant === undefined ? 'add the method, or give a function' : `did you mean '${meant}'?`;
      throw new ConfigurationError({
        option: 'fallback',
        problem: `'${name}' is no method of this class`,
        cure,
      });
    }
    if (seen.has(name)) {
      throw new ConfigurationError({
        option: 'fallback',
        problem: `leads back to '${name}'`,
        cure: 'end it with a method that needs no fallback',
      });
    }
    seen.add(name);
    const next = decoratedMethodOf(found);
    name = next === undefined ? undefined : fallbackOf(next);
  }
}

function isPrototype(instance: unknown): boolean {
  if (typeof instance !== 'object' || instance === null || !Object.hasOwn(instance, 'constructor'))
    return false;
  return (instance.constructor as { prototype?: unknown } | undefined)?.prototype === instance;
}

function methodNames(instance: unknown): string[] {
  const names: string[] = [];
  for (
    let link: unknown = instance;
    typeof link === 'object' && link !== null && link !== Object.prototype;
  ) {
    names.push(...Object.getOwnPropertyNames(link).filter((name) => name !== 'constructor'));
    link = Object.getPrototypeOf(link);
  }
  return names;
}
