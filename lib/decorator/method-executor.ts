import { located } from '../errors/configuration-error.js';
import { describeSettings } from '../operation/describe.js';
import type { OperationHost } from '../operation/host.js';
import { mergeOptions } from '../operation/merge-options.js';
import type { PolicyOptions } from '../operation/options.js';
import { settingsFrom } from '../operation/options-to-settings.js';
import { compilePlan, type Plan } from '../operation/plan.js';
import type { Settings } from '../operation/settings.js';
import { standaloneHost } from '../operation/standalone-host.js';
import { checkFallbackName } from './check-fallback.js';
import type { DecoratedMethod, MethodOptions } from './decorated-method.js';
import { operationName } from './operation-name.js';

/** What a module says about all decorated methods. */
export interface ModuleDefaults extends PolicyOptions, Pick<MethodOptions, 'throws'> {}

/** Runs decorated methods for one application, or for everything that lives outside any. */
export class MethodExecutor {
  /** Plans by the number of the method; most methods are called on instances of one class only. */
  private readonly plans: (PlanOfClass | undefined)[] = [];

  constructor(
    /** @internal */ readonly host: OperationHost,
    private readonly defaults: ModuleDefaults = {},
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
   * The policies of a method in one readable line.
   * @internal
   */
  describeMethod(method: DecoratedMethod, instance: unknown): string {
    const name = operationName(method, instance);
    return describeSettings(
      name,
      located(name, () => settingsOf(this.optionsOf(method), method.options)),
    );
  }

  private compile(method: DecoratedMethod, instance: unknown): Plan {
    const name = operationName(method, instance);
    return located(name, () => {
      const options = this.optionsOf(method);
      checkFallbackName(method, options.fallback, instance);
      return compilePlan(name, method.original, settingsOf(options, method.options), this.host);
    });
  }

  private optionsOf(method: DecoratedMethod): MethodOptions {
    return mergeOptions<ModuleDefaults>(this.defaults, method.options);
  }
}

function settingsOf(options: MethodOptions, written: MethodOptions): Settings {
  return { ...settingsFrom(options, written), throws: options.throws };
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
