import type { Config } from 'jest';

/** Where another Nest than the installed one is, for scripts/check-matrix.mjs. */
const nest = process.env['RELPRIM_NEST'];

/** What takes minutes of real time is a file of its own, which only `npm run test:slow` runs. */
const isSlow = process.env['RELPRIM_SLOW'] === '1';
const lane = isSlow ? '{spec,slow}' : 'spec';

/**
 * Legacy and standard decorators need two compilers, and ts-jest keeps one configuration per jest project
 * (the first one it meets wins, silently): hence two projects.
 */
function project(displayName: string, testMatch: string[], tsconfig: string) {
  return {
    displayName,
    testMatch,
    testEnvironment: '<rootDir>/test/setup/strict-environment.ts',
    extensionsToTreatAsEsm: ['.ts'],
    transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig }] },
    // The pack's folders hold other package.json files named like ours.
    modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/\\.build/', '<rootDir>/test/consumers/'],
    moduleNameMapper: {
      // Samples import the package by name; under test they run on the sources.
      '^relprim$': '<rootDir>/lib/index.ts',
      '^relprim/testing$': '<rootDir>/lib/testing/index.ts',
      '^relprim/(class-validator|json-schema|opentelemetry|redis|sqlite)$': '<rootDir>/lib/adapters/$1.ts',
      '^relprim/mcp$': '<rootDir>/lib/mcp/index.ts',
      '^relprim/nestjs$': '<rootDir>/nest-module/index.ts',
      '^relprim/nestjs/dashboard$': '<rootDir>/nest-module/dashboard/index.ts',
      '^relprim/nestjs/mcp$': '<rootDir>/nest-module/mcp/index.ts',
      '^relprim/nestjs/testing$': '<rootDir>/nest-module/testing/index.ts',
      ...(nest === undefined ? {} : { '^(@nestjs/.*)$': `${nest}/node_modules/$1` }),
      // `./x.js` in a source means `./x.ts`.
      '^(\\.{1,2}/.*)\\.js$': '$1',
    },
  } satisfies Config;
}

const config: Config = {
  passWithNoTests: false,
  // Many thousand random runs take minutes; what hangs ends all the same.
  testTimeout: isSlow ? 1_800_000 : 5_000,
  // Modules of ended files are not all let go of, and what looks at memory would look at theirs, for seconds each time.
  workerIdleMemoryLimit: '700MB',
  projects: [
    project(
      'legacy',
      [`<rootDir>/test/!(tc39|consumers)/**/*.${lane}.ts`, '<rootDir>/test/*.spec.ts'],
      'tsconfig.json',
    ),
    project('tc39', ['<rootDir>/test/tc39/**/*.spec.ts'], 'tsconfig.tc39.json'),
  ],
};

export default config;
