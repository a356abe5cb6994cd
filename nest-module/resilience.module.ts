import {
  Inject,
  Module,
  Optional,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { EXECUTOR_HANDLE, type ExecutorHandle } from '../lib/container.js';
import { ConfigurationError } from '../lib/index.js';
import { asyncModule, featureModule, rootModule } from './dynamic-modules.js';
import { NestHost } from './nest-host.js';
import type {
  ResilienceFeatureOptions,
  ResilienceModuleAsyncOptions,
  ResilienceModuleOptions,
} from './options.js';
import { StartUp } from './start-up/start-up.js';
import { offerHandles } from './start-up/offer-handles.js';

// At import, not in forRoot: a subclass with injected properties of its own copies the list of its base class when it is
// defined, and the handle must be in that list by then.
offerHandles();

/** Runs the decorated methods of an application. Import it once, in the root module; it is global. */
@Module({})
export class ResilienceModule
  implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  constructor(
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Optional() @Inject(EXECUTOR_HANDLE) handle: ExecutorHandle | undefined,
    @Optional() @Inject(StartUp) private readonly startUp: StartUp,
    @Optional() @Inject(NestHost) private readonly host: NestHost,
  ) {
    const same = [...this.modules.values()].filter(({ metatype }) => metatype === ResilienceModule);
    if (same.length > 1) {
      throw new ConfigurationError({
        option: 'ResilienceModule.forRoot',
        problem: 'is imported more than once',
        cure: 'import it in the root module only; it is global. A feature adds its circuit breakers, shields and concurrency limits with forFeature()',
      });
    }
    if (handle === undefined) {
      throw new ConfigurationError({
        option: 'ResilienceModule',
        problem: 'is imported as it is',
        cure: 'import ResilienceModule.forRoot() in the root module',
      });
    }
  }

  /** The module with options that are known now. @throws {ConfigurationError} for options that cannot work. */
  static forRoot(options: ResilienceModuleOptions = {}): DynamicModule {
    return rootModule(ResilienceModule, options);
  }

  /**
   * The module with settings that a factory gives, from `ConfigService` or elsewhere. The names of circuit breakers,
   * shields and concurrency limits are known at once; a missing or extra one stops the application.
   * @throws {ConfigurationError} for options that cannot work, now or when the application starts.
   */
  static forRootAsync(options: ResilienceModuleAsyncOptions): DynamicModule {
    return asyncModule(ResilienceModule, options);
  }

  /** Circuit breakers, shields and concurrency limits of a feature, beside those of `forRoot`. Decorators everywhere find them by name. */
  static forFeature(options: ResilienceFeatureOptions): DynamicModule {
    return featureModule(options);
  }

  /** Reaches instances that Nest did not construct itself, and finds every mistake before the first call. */
  onModuleInit(): void {
    this.startUp.run();
  }

  /**
   * Before the servers close: a request that waits for its next attempt would hold them open. And before the hooks of
   * the next phase, where applications wait for the work that they have begun: those of a global module come last.
   */
  onModuleDestroy(): void {
    this.host.shutdown.begin();
  }

  /** While what event sinks write to is still there: other modules close their connections before it is our turn again. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.host.flush();
  }

  /** After the last requests. */
  async onApplicationShutdown(): Promise<void> {
    await this.host.flush();
    this.host.streams.complete();
  }
}
