import { refuse } from '../errors/check.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { isObservableClass, observableClass, type ObservableClass } from '../operation/observable-class.js';
import type { MethodOptions } from './decorated-method.js';

/** Gives the class that a method's Observables are made with. @throws {ConfigurationError} while rxjs is not known. */
export type ObservableFinder = () => ObservableClass;

interface MetadataReflection {
  getMetadata?(key: string, target: object, property: string | symbol): unknown;
}

/** What the compiler wrote down as the return type of a method; `undefined` where it writes nothing down. */
export function writtenReturnType(target: unknown, key: string | symbol): unknown {
  return (Reflect as MetadataReflection).getMetadata?.('design:returntype', target as object, key);
}

export function checkReturns(returns: unknown): void {
  if (returns !== 'promise' && returns !== 'observable')
    refuse('returns', returns, "give 'promise' or 'observable'");
}

/**
 * Whether a method returns Observables, and of which class: its options say so, or its return type as it was written.
 * `undefined` for a method that returns promises.
 * @throws {ConfigurationError} when the two contradict each other.
 */
export function findObservable(
  { returns }: MethodOptions,
  writtenType: unknown,
): ObservableFinder | undefined {
  if (returns === 'observable' && writtenType === Promise) return contradict(returns, 'Promise', 'promise');
  if (returns === 'promise' && isObservableClass(writtenType))
    return contradict(returns, 'Observable', 'observable');
  if (returns !== 'observable' && !isObservableClass(writtenType)) return undefined;
  return () => observableClass(writtenType);
}

function contradict(returns: string, type: string, meant: string): never {
  throw new ConfigurationError({
    option: 'returns',
    problem: `is '${returns}' on a method whose return type is ${type}`,
    cure: `say '${meant}', or leave it out`,
  });
}
