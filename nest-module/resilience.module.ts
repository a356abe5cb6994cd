import { Inject, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { bindHandle, boundHandle, EXECUTOR_HANDLE, type ExecutorHandle } from '../lib/container.js';
import { CircuitBreakerRegistry, ConfigurationError } from '../lib/index.js';
import { decoratedClasses } from './decorated-classes.js';
import { checkModuleOptions, isSinkClass, type ResilienceModuleOptions } from './options.js';
import { offerHandles } from './offer-handles.js';
import { resilienceProviders } from './providers.js';
import { ResilienceExecutor } from './resilience-executor.js';
import { checkDecoratedMethods } from './start-up-check.js';
import { getCircuitBreakerToken, RESILIENCE_CLOCK, RESILIENCE_EVENTS, RESILIENCE_EXECUTOR, RESILIENCE_RANDOM } from './tokens.js';

/** Runs the decorated methods of an application. Import it once, in the root module; it is global. */
@Module({})
export class ResilienceModule implements OnModuleInit {
  constructor(
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(EXECUTOR_HANDLE) private readonly handle: ExecutorHandle,
  ) {
    const roots = [...modules.values()].filter(({ metatype }) => metatype === ResilienceModule);
    if (roots.length > 1) {
      throw new ConfigurationError({ option: 'ResilienceModule.forRoot', problem: 'is imported more than once', cure: 'import it in the root module only; it is global' });
    }
  }

  /** @throws {ConfigurationError} for options that cannot work. */
  static forRoot(options: ResilienceModuleOptions = {}): DynamicModule {
    checkModuleOptions(options);
    offerHandles();
    const { circuitBreakers = [], eventSinks = [], imports = [] } = options;
    return {
      module: ResilienceModule,
      global: true,
      imports: [...imports],
      providers: resilienceProviders(options),
      exports: [
        RESILIENCE_CLOCK,
        RESILIENCE_RANDOM,
        RESILIENCE_EVENTS,
        RESILIENCE_EXECUTOR,
        ResilienceExecutor,
        CircuitBreakerRegistry,
        EXECUTOR_HANDLE,
        ...circuitBreakers.map(({ name }) => getCircuitBreakerToken(name as string)),
        ...eventSinks.filter(isSinkClass),
      ],
    };
  }

  /** Reaches instances that Nest did not construct itself, and finds every mistake before the first call. */
  onModuleInit(): void {
    const executor = this.handle.current;
    if (executor === undefined) {
      const problem = 'was not made at start-up, so something that it depends on is request-scoped';
      throw new ConfigurationError({ option: 'ResilienceExecutor', problem, cure: 'make the event sinks and what they inject singletons' });
    }
    const classes = [...decoratedClasses(this.modules)];
    for (const { instance, isSingleton } of classes) {
      if (isSingleton && boundHandle(instance) === undefined) bindHandle(instance, this.handle);
    }
    // A test may have put something simpler in the executor's place.
    if (executor instanceof ResilienceExecutor) checkDecoratedMethods(classes, executor);
  }
}
