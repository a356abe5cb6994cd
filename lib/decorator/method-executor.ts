import { located } from '../errors/configuration-error.js';
import { describeOperation, type OperationDescription } from '../operation/describe.js';
import type { OperationHost } from '../operation/host.js';
import { settingsFrom } from '../operation/options-to-settings.js';
import { compilePlan, type Plan } from '../operation/plan.js';
import type { Settings } from '../operation/settings.js';
import { standaloneHost } from '../operation/standalone-host.js';
import { checkFallbackName } from './check-fallback.js';
import type { DecoratedMethod } from './decorated-method.js';
import { mergeMethod, type MergedOptions, type ModulePolicies } from './layers.js';
import { operationName } from './operation-name.js';

/** Runs decorated methods for one application, or for everything that lives outside any. */
export class MethodExecutor {
  /** Plans by the number of the method; most methods are called on instances of one class only. */
  private readonly plans: (PlanOfClass | undefined)[] = [];

  constructor(
    /** @internal */ readonly host: OperationHost,
    /** @internal */ protected policies?: ModulePolicies,
  ) {}

  /**
   * The plan of a method for the class of an instance. Compiled at the first call, or when the application starts.
   * @internal
   */
  planFor(method: DecoratedMethod, instance: unknown): Plan {
    const owner = classOf(instance);
    const first = this.plans[method.index];
    for (let known = first; known !== undefined; known = known.next) {
      if (known.owner === owner) return known.plan;
    }
    const plan = this.compile(method, instance);
    this.plans[method.index] = { owner, plan, next: first };
    return plan;
  }

  /**
   * The options of a method in this application, and where each comes from.
   * @internal
   */
  mergedOptions(name: string, method: DecoratedMethod): MergedOptions {
    return mergeMethod(name, method.options, this.policies, this.host);
  }

  /** The policies of a method that a plan was made for. */
  protected describeMethod(name: string, method: DecoratedMethod, plan: Plan): OperationDescription {
    const merged = this.mergedOptions(name, method);
    // Its shield is there already; to resolve it again would make another.
    return describeOperation(name, settingsOf(merged, this.host, plan.guards?.shield), merged.layers);
  }

  /** Told of each operation that a plan was made for. */
  protected noteOperation?(name: string, method: DecoratedMethod, plan: Plan): void;

  private compile(method: DecoratedMethod, instance: unknown): Plan {
    const name = operationName(method, instance);
    return located(name, () => {
      const merged = this.mergedOptions(name, method);
      checkFallbackName(method, merged.options.fallback, instance, (other) =>
        this.fallbackOf(other, instance),
      );
      const shield = merged.options.shield?.resolve(name, this.host);
      const settings = { ...settingsOf(merged, this.host, shield), observable: method.observable?.() };
      // The key of a shield's cache goes by names.
      if (typeof shield === 'object') shield.note(name, method.original);
      const plan = compilePlan(name, method.original, settings, this.host);
      this.noteOperation?.(name, method, plan);
      return plan;
    });
  }

  private fallbackOf(method: DecoratedMethod, instance: unknown): unknown {
    if (this.policies === undefined) return method.options.fallback;
    return this.mergedOptions(operationName(method, instance), method).options.fallback;
  }
}

function settingsOf(
  { options, written }: MergedOptions,
  host: OperationHost,
  shield: Settings['shield'],
): Settings {
  return {
    ...settingsFrom(options, written),
    throws: options.throws,
    // Outside an application nothing of one instance is to show in another.
    limitsInstances: !host.isApplication,
    shield,
  };
}

interface PlanOfClass {
  readonly owner: unknown;
  readonly plan: Plan;
  readonly next: PlanOfClass | undefined;
}

/** Runs what is called outside any application. */
export const standaloneExecutor = new MethodExecutor(standaloneHost);

function classOf(instance: unknown): unknown {
  if (typeof instance === 'function') return instance;
  return (instance as { constructor?: unknown } | null | undefined)?.constructor;
}
