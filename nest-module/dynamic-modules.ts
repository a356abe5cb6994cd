import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { checkFunction, checkOptions, isRecord, located, refuse } from '../lib/container.js';
import { ConfigurationError } from '../lib/index.js';
import { checkList, checkSink } from './check-lists.js';
import { byKind, KINDS, NAMED_OPTIONS, type ByKind } from './named/kinds.js';
import { featureProviders, tokensOf } from './named/named-providers.js';
import { checkNames, readNamed, readRegistrations } from './named/read-registrations.js';
import type {
  ResilienceConfiguration,
  ResilienceFeatureOptions,
  ResilienceModuleAsyncOptions,
  ResilienceModuleOptions,
  ResilienceOptionsFactory,
} from './options.js';
import { resilienceExports, resilienceProviders } from './providers.js';
import { readSettings, SETTINGS } from './read-options.js';
import { RESILIENCE_OPTIONS, type ResolvedOptions } from './resolved-options.js';
import { uniqueToken } from './tokens.js';

const STATIC_OPTIONS = [...NAMED_OPTIONS, 'eventSinks', 'exceptionFilter', 'imports'];

/** What `forFeature` returns is a module of its own kind, so that it is never taken for a second root. */
@Module({})
class ResilienceFeatureModule {}

export function rootModule(
  module: Type,
  options: ResilienceModuleOptions,
  ground?: readonly Provider[],
): DynamicModule {
  const resolved = located('ResilienceModule', () => {
    checkOptions('options', options, [...STATIC_OPTIONS, ...SETTINGS]);
    checkStatic(options);
    return readSettings(
      options,
      byKind((kind) => readRegistrations(kind, options[kind.option])),
    );
  });
  const names = byKind(({ option }) => [...resolved.named[option].keys()]);
  return assemble(module, options, names, [{ provide: RESILIENCE_OPTIONS, useValue: resolved }], ground);
}

export function asyncModule(module: Type, options: ResilienceModuleAsyncOptions): DynamicModule {
  located('ResilienceModule.forRootAsync', () => {
    checkOptions('options', options, [...STATIC_OPTIONS, 'inject', 'useFactory', 'useClass', 'useExisting']);
    checkStatic(options);
    for (const kind of KINDS) checkNames(kind, options[kind.option]);
    checkSource(options);
  });
  const names = byKind(({ option }) => options[option] ?? []);
  const resolve = (given: ResilienceConfiguration): ResolvedOptions =>
    located('ResilienceModule.forRootAsync', () => {
      checkGiven(given);
      return readSettings(
        given,
        byKind((kind) => readNamed(kind, names[kind.option], given[kind.option])),
      );
    });
  return assemble(module, options, names, optionsProviders(options, resolve));
}

export function featureModule(options: ResilienceFeatureOptions): DynamicModule {
  const named = located('ResilienceModule.forFeature', () => {
    checkOptions('options', options, NAMED_OPTIONS);
    return byKind((kind) => readRegistrations(kind, options[kind.option]));
  });
  return {
    module: ResilienceFeatureModule,
    providers: featureProviders(named),
    exports: tokensOf(byKind(({ option }) => [...named[option].keys()])),
  };
}

function assemble(
  module: Type,
  {
    eventSinks = [],
    imports = [],
    exceptionFilter = false,
  }: ResilienceModuleOptions | ResilienceModuleAsyncOptions,
  names: ByKind<readonly string[]>,
  resolved: Provider<ResolvedOptions>[],
  ground?: readonly Provider[],
): DynamicModule {
  const options = { names, eventSinks, exceptionFilter };
  return {
    module,
    global: true,
    imports: [...imports],
    providers: [
      ...resilienceProviders(options, resolved, ground),
      { provide: uniqueToken('relprim/registration'), useValue: true },
    ],
    exports: resilienceExports(options),
  };
}

function checkStatic({
  eventSinks,
  imports,
  exceptionFilter,
}: ResilienceModuleOptions | ResilienceModuleAsyncOptions): void {
  checkList('eventSinks', eventSinks, checkSink);
  checkList('imports', imports);
  if (![undefined, true, false].includes(exceptionFilter))
    refuse('exceptionFilter', exceptionFilter, 'give true or false');
}

/** What an options factory gives. What Nest must know before stands beside the factory. */
function checkGiven(given: unknown): void {
  if (!isRecord(given)) return refuse('options', given, 'let the options factory give an object of options');
  const early = ['eventSinks', 'exceptionFilter', 'imports'].find((option) => given[option] !== undefined);
  if (early !== undefined)
    refuse(early, given[early], 'give it to forRootAsync itself, beside the options factory');
  checkOptions('options', given, [...NAMED_OPTIONS, ...SETTINGS]);
}

/** Exactly one of the three ways to make settings. */
function checkSource({ inject, useFactory, useClass, useExisting }: ResilienceModuleAsyncOptions): void {
  const given = [useFactory, useClass, useExisting].filter((source) => source !== undefined);
  if (given.length !== 1)
    throw new ConfigurationError({
      option: 'useFactory, useClass, useExisting',
      problem: given.length === 0 ? 'are all missing' : 'are given together',
      cure: 'give one of them',
    });
  if (useFactory !== undefined) checkFunction('useFactory', useFactory);
  if (useClass !== undefined) checkFunction('useClass', useClass);
  checkList('inject', inject);
  if (inject !== undefined && useFactory === undefined)
    throw new ConfigurationError({
      option: 'inject',
      problem: 'is given without useFactory',
      cure: 'let the class inject what it needs',
    });
}

function optionsProviders(
  { inject = [], useFactory, useClass, useExisting }: ResilienceModuleAsyncOptions,
  resolve: (given: ResilienceConfiguration) => ResolvedOptions,
): Provider[] {
  if (useFactory !== undefined)
    return [
      {
        provide: RESILIENCE_OPTIONS,
        inject: [...inject],
        useFactory: async (...args: unknown[]) => resolve(await useFactory(...args)),
      },
    ];
  const source = useClass ?? useExisting;
  const own: Provider[] = useClass === undefined ? [] : [useClass];
  const made: Provider = {
    provide: RESILIENCE_OPTIONS,
    inject: [source as Type<ResilienceOptionsFactory>],
    useFactory: async (factory: ResilienceOptionsFactory) => {
      located('ResilienceModule.forRootAsync', () =>
        checkFunction(
          'createResilienceOptions',
          (factory as Partial<typeof factory>).createResilienceOptions,
        ),
      );
      return resolve(await factory.createResilienceOptions());
    },
  };
  return [...own, made];
}
