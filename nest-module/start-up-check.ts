import { located, nearest, operationName, type DecoratedMethod } from '../lib/container.js';
import { ConfigurationError } from '../lib/index.js';
import type { DecoratedClass } from './decorated-classes.js';
import type { ResilienceExecutor } from './resilience-executor.js';

/** Builds the plan of every decorated method. @throws {ConfigurationError} with all mistakes at once. */
export function checkDecoratedMethods(classes: Iterable<DecoratedClass>, executor: ResilienceExecutor): void {
  const mistakes: ConfigurationError[] = [];
  for (const { methods, instance } of classes) {
    for (const method of methods) {
      try {
        executor.planFor(method, instance);
        checkFallbackName(method, instance);
        executor.noteOperation(operationName(method, instance), executor.describeMethod(method, instance));
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        mistakes.push(error);
      }
    }
  }
  throwAll(mistakes);
}

function checkFallbackName(method: DecoratedMethod, instance: object): void {
  const { fallback } = method.options;
  if (typeof fallback !== 'string' || typeof (instance as Record<string, unknown>)[fallback] === 'function') return;
  const meant = nearest(fallback, methodNames(instance));
  const cure = meant === undefined ? 'add the method, or give a function' : `did you mean '${meant}'?`;
  located(operationName(method, instance), () => {
    throw new ConfigurationError({ option: 'fallback', problem: `'${fallback}' is no method of this class`, cure });
  });
}

function methodNames(instance: object): string[] {
  const names = new Set<string>();
  for (let link: object = instance; link !== Object.prototype; link = Object.getPrototypeOf(link) as object) {
    for (const name of Object.getOwnPropertyNames(link)) names.add(name);
  }
  names.delete('constructor');
  return [...names];
}

function throwAll(mistakes: readonly ConfigurationError[]): void {
  const [first] = mistakes;
  if (first === undefined) return;
  if (mistakes.length === 1) throw first;
  const list = mistakes.map((mistake, index) => `\n  ${index + 1}. ${mistake.message}`).join('');
  throw new ConfigurationError({ option: 'decorated methods', problem: `have ${mistakes.length} mistakes:${list}\n`, cure: 'mend them and start again' });
}
