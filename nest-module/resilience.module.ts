import { Inject, Module, Optional, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { EXECUTOR_HANDLE, type ExecutorHandle } from '../lib/container.js';
import { CircuitBreakerRegistry, ConfigurationError } from '../lib/index.js';
import { bindInstances } from './bind-instances.js';
import { decoratedClasses, type Wrapper } from './decorated-classes.js';
import { checkModuleOptions, isSinkClass, type ResilienceModuleOptions } from './options.js';
import { offerHandles } from './offer-handles.js';
import { resilienceProviders } from './providers.js';
import { ResilienceExecutor } from './resilience-executor.js';
import { checkDecoratedMethods } from './start-up-check.js';
import {
  getCircuitBreakerToken,
  RESILIENCE_CLOCK,
  RESILIENCE_EVENTS,
  RESILIENCE_EXECUTOR,
  RESILIENCE_RANDOM,
} from './tokens.js';

// At import, not in forRoot: a subclass with injected properties of its own copies the list of its base class when it is
// defined, and the handle must be in that list by then.
offerHandles();

/** Runs the decorated methods of an application. Import it once, in the root module; it is global. */
@Module({})
export class ResilienceModule implements OnModuleInit {
  constructor(
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Optional() @Inject(EXECUTOR_HANDLE) private readonly handle: ExecutorHandle,
    @Optional()
    @Inject(CircuitBreakerRegistry)
    private readonly circuitBreakers: CircuitBreakerRegistry,
  ) {
    if (this.hosts().length > 1) {
      throw new ConfigurationError({
        option: 'ResilienceModule.forRoot',
        problem: 'is imported more than once',
        cure: 'import it in the root module only; it is global',
      });
    }
    if ((handle as ExecutorHandle | undefined) === undefined) {
      throw new ConfigurationError({
        option: 'ResilienceModule',
        problem: 'is imported as it is',
        cure: 'import ResilienceModule.forRoot() in the root module',
      });
    }
  }

  /** @throws {ConfigurationError} for options that cannot work. */
  static forRoot(options: ResilienceModuleOptions = {}): DynamicModule {
    checkModuleOptions(options);
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
        ...circuitBreakers.map(({ name }) => getCircuitBreakerToken(name)),
        ...eventSinks.filter(isSinkClass),
      ],
    };
  }

  /** Reaches instances that Nest did not construct itself, and finds every mistake before the first call. */
  onModuleInit(): void {
    const executor = this.handle.current;
    if (executor === undefined) {
      const problem = 'was not made at start-up, so something that it depends on is request-scoped';
      throw new ConfigurationError({
        option: 'ResilienceExecutor',
        problem,
        cure: 'make the event sinks and what they inject singletons',
      });
    }
    const classes = [...decoratedClasses(this.modules)];
    const handleWrapper = this.hosts()[0]?.providers.get(EXECUTOR_HANDLE) as Wrapper;
    for (const found of classes) bindInstances(found, this.handle, handleWrapper);
    // A test may have put something simpler in the executor's place.
    if (executor instanceof ResilienceExecutor)
      checkDecoratedMethods(classes, executor, this.circuitBreakers);
  }

  private hosts() {
    return [...this.modules.values()].filter(({ metatype }) => metatype === ResilienceModule);
  }
}
