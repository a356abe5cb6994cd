import { decoratedMethodOf, located, operationName, type DecoratedMethod } from '../lib/container.js';
import { ConfigurationError, type CircuitBreaker, type CircuitBreakerRegistry } from '../lib/index.js';
import type { DecoratedClass } from './decorated-classes.js';
import type { ResilienceExecutor } from './resilience-executor.js';

/** Builds the plan of every decorated method. @throws {ConfigurationError} with all mistakes at once. */
export function checkDecoratedMethods(
  classes: Iterable<DecoratedClass>,
  executor: ResilienceExecutor,
  registry: CircuitBreakerRegistry,
): void {
  const mistakes: ConfigurationError[] = [];
  for (const { methods, instance } of classes) {
    for (const method of methods.flatMap(layersOf)) {
      try {
        const name = operationName(method, instance);
        const { breaker } = executor.planFor(method, instance);
        located(name, () => checkBreakerName(breaker, registry));
        executor.noteOperation(name, executor.describeMethod(method, instance));
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        mistakes.push(error);
      }
    }
  }
  throwAll(mistakes);
}

/** A method that is decorated more than once, from the inside out. */
function layersOf(method: DecoratedMethod): DecoratedMethod[] {
  const inner = decoratedMethodOf(method.original);
  return inner === undefined ? [method] : [...layersOf(inner), method];
}

/** Two breakers of one name would be one to whoever reads events and metrics. */
function checkBreakerName(breaker: CircuitBreaker | undefined, registry: CircuitBreakerRegistry): void {
  if (breaker === undefined || registry.list().includes(breaker) || !registry.has(breaker.name)) return;
  const problem = `is a breaker of its own that is named '${breaker.name}', as a registered one is`;
  throw new ConfigurationError({
    option: 'circuitBreaker',
    problem,
    cure: 'give the name, or name it differently',
  });
}

function throwAll(mistakes: readonly ConfigurationError[]): void {
  const [first] = mistakes;
  if (first === undefined) return;
  if (mistakes.length === 1) throw first;
  const list = mistakes.map((mistake, index) => `\n  ${index + 1}. ${mistake.message}`).join('');
  throw new ConfigurationError({
    option: 'decorated methods',
    problem: `have ${mistakes.length} mistakes:${list}\n`,
    cure: 'mend them and start again',
  });
}
