import { ConfigurationError } from '../../lib/index.js';

/** @throws {ConfigurationError} for a module that is imported without `forRoot()`. */
export function refuseAsItIs(module: string): never {
  throw new ConfigurationError({
    option: module,
    problem: 'is imported as it is',
    cure: `import ${module}.forRoot({ guard })`,
  });
}

/** @throws {ConfigurationError} for a module that has nothing to show. */
export function refuseAlone(module: string): never {
  throw new ConfigurationError({
    option: module,
    problem: 'finds no ResilienceModule',
    cure: 'import ResilienceModule.forRoot() in the root module, too',
  });
}
