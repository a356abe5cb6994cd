import { Module, type DynamicModule } from '@nestjs/common';
import { ConfigurationError } from '../../lib/index.js';
import { rootModule } from '../dynamic-modules.js';
import type { ResilienceModuleOptions } from '../options.js';
import { ResilienceModule } from '../resilience.module.js';
import { RESILIENCE_TESTING } from '../testing-hooks.js';
import { RESILIENCE_CLOCK, RESILIENCE_RANDOM } from '../tokens.js';
import { ResilienceTesting } from './resilience-testing.js';
import { checkTestingOptions, type ResilienceTestingOptions } from './testing-options.js';

/** Options of `ResilienceTestingModule.forRoot()`. */
export interface ResilienceTestingModuleOptions extends ResilienceModuleOptions, ResilienceTestingOptions {}

/**
 * For a test of a few classes without their application: the `ResilienceModule` on a fake clock, in the place of
 * `ResilienceModule.forRoot()`. Inject `ResilienceTesting`, or get it: `app.get(ResilienceTesting)`.
 */
@Module({})
export class ResilienceTestingModule {
  constructor() {
    throw new ConfigurationError({
      option: 'ResilienceTestingModule',
      problem: 'is imported as it is',
      cure: 'import ResilienceTestingModule.forRoot()',
    });
  }

  /** @throws {ConfigurationError} for options that cannot work. */
  static forRoot({ seed, passThrough, ...options }: ResilienceTestingModuleOptions = {}): DynamicModule {
    const own = { seed, passThrough };
    checkTestingOptions(own);
    // It is the ResilienceModule, so that there cannot be another one beside it.
    const module = rootModule(ResilienceModule, options, [
      // Made for each application: two must not share a clock because they share a module.
      { provide: ResilienceTesting, useFactory: () => new ResilienceTesting(own) },
      part(RESILIENCE_CLOCK, 'clock'),
      part(RESILIENCE_RANDOM, 'random'),
      part(RESILIENCE_TESTING, 'hooks'),
    ]);
    return { ...module, exports: [...(module.exports ?? []), ResilienceTesting] };
  }
}

function part(provide: symbol, name: keyof ResilienceTesting['parts']) {
  return {
    provide,
    inject: [ResilienceTesting],
    useFactory: ({ parts }: ResilienceTesting): unknown => parts[name],
  };
}
