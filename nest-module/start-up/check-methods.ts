import {
  decoratedMethodOf,
  located,
  operationName,
  type DecoratedMethod,
  type MethodOptions,
  type Plan,
} from '../../lib/container.js';
import { ConfigurationError } from '../../lib/index.js';
import { guardsOf } from '../guards-of.js';
import { KINDS, type ByKind } from '../named/kinds.js';
import type { Kind, Named, NamedRegistry } from '../named/kind.js';
import type { ResilienceExecutor } from '../resilience-executor.js';
import type { DecoratedClass } from './decorated-classes.js';
import type { FoundOperation } from './found-operation.js';

/** Builds the plan of every decorated method. A mistake in one does not hide those of the others. */
export function checkMethods(
  classes: Iterable<DecoratedClass>,
  executor: ResilienceExecutor,
  registries: ByKind<NamedRegistry<Named>>,
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
        located(name, () => checkOwnNames(plan, registries));
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

function checkOwnNames(plan: Plan, registries: ByKind<NamedRegistry<Named>>): void {
  const guards = guardsOf(plan);
  const used = { circuitBreakers: plan.breaker, shields: guards?.shield, concurrencyLimits: guards?.limit };
  for (const kind of KINDS) {
    const thing = used[kind.option];
    // A function finds it for a call, and is asked then.
    if (thing !== undefined && typeof thing !== 'function')
      checkOwnName(kind, thing, registries[kind.option]);
  }
}

/** Two things of one name would be one to whoever reads events and metrics. */
function checkOwnName({ single, word }: Kind, thing: Named, registry: NamedRegistry<Named>): void {
  if (!registry.has(thing.name) || registry.list().includes(thing)) return;
  const problem = `is a ${word} of its own that is named '${thing.name}', as a registered one is`;
  throw new ConfigurationError({ option: single, problem, cure: 'give the name, or name it differently' });
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
