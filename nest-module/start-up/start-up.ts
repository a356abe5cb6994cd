import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { EXECUTOR_HANDLE, type ExecutorHandle } from '../../lib/container.js';
import { ConfigurationError } from '../../lib/index.js';
import { byKind } from '../named/kinds.js';
import { SharedThings } from '../named/shared-things.js';
import { NestHost } from '../nest-host.js';
import { ResilienceExecutor } from '../resilience-executor.js';
import { RESILIENCE_OPTIONS, type ResolvedOptions } from '../resolved-options.js';
import { bindInstances } from './bind-instances.js';
import { checkEntries } from './check-entries.js';
import { checkMethods, throwAll } from './check-methods.js';
import { decoratedClasses, findWrapper, type DecoratedClass } from './decorated-classes.js';
import { staticMethods } from './static-methods.js';
import { warnAll } from './warnings/warn-all.js';

/**
 * What happens when an application starts, after everything has been made and before the first call. It injects
 * nothing that could be request-scoped by mistake: then it would not run, and nobody would say so.
 */
@Injectable()
export class StartUp {
  constructor(
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(ModuleRef) private readonly moduleRef: ModuleRef,
    @Inject(EXECUTOR_HANDLE) private readonly handle: ExecutorHandle,
    @Inject(NestHost) private readonly host: NestHost,
  ) {}

  /** @throws {ConfigurationError} with all mistakes at once. */
  run(): void {
    const executor = this.handle.current;
    if (executor === undefined) {
      const problem = 'was not made at start-up, so something that it depends on is request-scoped';
      throw new ConfigurationError({
        option: 'ResilienceExecutor',
        problem,
        cure: 'make the event sinks, what they inject and what an options factory injects singletons',
      });
    }
    const classes = [...decoratedClasses(this.modules)];
    const handleWrapper = findWrapper(this.modules, EXECUTOR_HANDLE);
    for (const found of classes) bindInstances(found, this.handle, handleWrapper);
    // A test may have put something simpler in the executor's place.
    if (executor instanceof ResilienceExecutor) this.check(classes, executor);
  }

  private check(classes: readonly DecoratedClass[], executor: ResilienceExecutor): void {
    const options = this.moduleRef.get<ResolvedOptions>(RESILIENCE_OPTIONS);
    const mistakes: ConfigurationError[] = [];
    const registries = byKind(({ registry }) => this.moduleRef.get(registry));
    const { found, names } = checkMethods(classes, executor, registries, mistakes);
    mistakes.push(...checkEntries(options.policies, names));
    throwAll(mistakes);
    this.host.testing.started?.();
    const shared = this.moduleRef.get(SharedThings);
    const named = byKind((kind) => shared.registrations(kind));
    const statics = staticMethods(this.modules);
    warnAll({ operations: found, classes, statics, named, options }, this.host);
  }
}
