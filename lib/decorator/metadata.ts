import type { MethodOptions } from './decorated-method.js';
import { memberName } from './operation-name.js';
import { decoratedMethodsOf } from './registry.js';

/** What is known of a decorated method without an instance. */
export interface ResilientMetadata {
  /** The name of its operation for instances of this class. */
  readonly operationName: string;
  /** The options as they were written, without defaults. */
  readonly options: MethodOptions;
}

/** What `@Resilient` says about a method of a class, or `undefined` when it says nothing. */
export function getResilientMetadata(
  target: abstract new (...args: any[]) => unknown,
  method: string | symbol,
): ResilientMetadata | undefined {
  const places = [target.prototype as object, target];
  const found = places.flatMap(decoratedMethodsOf).find(({ key }) => key === method);
  if (found === undefined) return undefined;
  return { operationName: found.options.name ?? memberName(target, method), options: found.options };
}
