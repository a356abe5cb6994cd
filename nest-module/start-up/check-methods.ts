import {
  decoratedMethodOf,
  located,
  operationName,
  type DecoratedMethod,
  type MethodOptions,
} from '../../lib/container.js';
import { ConfigurationError, type CircuitBreaker, type CircuitBreakerRegistry } from '../../lib/index.js';
import type { ResilienceExecutor } from '../resilience-executor.js';
import type { DecoratedClass } from './decorated-classes.js';
import type { FoundOperation } from './found-operation.js';

/** Builds the plan of every decorated method. A mistake in one does not hide those of the others. */
export function checkMethods(
  classes: Iterable<DecoratedClass>,
  executor: ResilienceExecutor,
  registry: CircuitBreakerRegistry,
  mistakes: ConfigurationError[],
): { readonly found: readonly FoundOperation[]; readonly names: ReadonlySet<string> } {
  const names = new Set<string>();
  const found: FoundOperation[] = [];
  for (const decorated of classes) {
    for (const method of decorated.methods.flatMap(layersOf)) {
      try {
        const plan = executor.planFor(method, decorated.instance);
        const { name } = plan;
        names.add(name);
        located(name, () => checkBreakerName(plan.breaker, registry));
        const options = (): MethodOptions => executor.mergedOptions(name, method).options;
        found.push({ name, method, decorated, plan, options });
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        names.add(operationName(method, decorated.instance));
        mistakes.push(error);
      }
    }
  }
  return { found, names };
}

/** A method that is decorated more than once, from the inside out. */
function layersOf(method: DecoratedMethod): DecoratedMethod[] {
  const inner = decoratedMethodOf(method.original);
  return inner === undefined ? [method] : [...layersOf(inner), method];
}

/** Two breakers of one name would be one to whoever reads events and metrics. */
function checkBreakerName(breaker: CircuitBreaker | undefined, registry: CircuitBreakerRegistry): void {
  if (breaker === undefined || !registry.has(breaker.name) || registry.list().includes(breaker)) return;
  const problem = `is a breaker of its own that is named '${breaker.name}', as a registered one is`;
  throw new ConfigurationError({
    option: 'circuitBreaker',
    problem,
    cure: 'give the name, or name it differently',
  });
}

/** @throws {ConfigurationError} with all mistakes at once; a class that two modules provide makes each of its own once. */
export function throwAll(found: readonly ConfigurationError[]): void {
  const mistakes = [...new Map(found.map((mistake) => [mistake.message, mistake])).values()];
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
