// The architecture as lint errors. Data first, rules after; scripts/check-fences.mjs proves each fence on a model of the tree.
import { createNodeResolver, importX } from 'eslint-plugin-import-x';

/** Bottom first. A floor imports itself and what lies below it. */
export const floors = [
  ['time'],
  ['errors'],
  ['report', 'events', 'backoff'],
  ['attempt'],
  ['policies'],
  ['operation'],
  ['shield'],
  ['decorator'],
];

/** One room a policy: delete the folder, delete the feature. */
export const policyRooms = [
  'retry',
  'timeout',
  'rate-limit',
  'circuit-breaker',
  'fallback',
  'validation',
  'idempotency',
  'concurrency-limit',
];

/** What users (or nest-module) import. They look down on the floors; no floor knows them. */
export const libDoors = ['index.ts', 'container.ts', 'testing', 'adapters', 'mcp'];

const optionalPeers =
  '(?:zod|ajv|ajv-formats|class-validator|class-transformer|@opentelemetry|ioredis|redis|better-sqlite3)(?:/|$)';

const lib = (names) => names.map((name) => `./lib/${name}`);
const outside = ['./nest-module', './samples', './test', './bench'];

const zones = [
  ...floors.map((floor, level) => ({
    target: lib(floor),
    from: lib([...floors.slice(level + 1).flat(), ...libDoors]),
    message: `Imports go downward: ${floors.map((rooms) => rooms.join(', ')).join(' → ')} → index. Nothing in lib imports index, container, adapters, mcp or testing.`,
  })),
  ...policyRooms.map((room) => ({
    target: `./lib/policies/${room}`,
    from: './lib/policies',
    except: [`./${room}`],
    message:
      'Policies never import each other: what two of them need lies on a floor below, and the engine combines them.',
  })),
  ...libDoors.map((door) => ({
    target: `./lib/${door}`,
    from: lib(libDoors.filter((other) => other !== door)),
    message: 'A door shows the floors, never another door: each can be taken away by itself.',
  })),
  { target: './lib', from: outside, message: 'lib knows nothing of what is built on it.' },
  {
    target: './nest-module',
    from: './lib',
    except: ['./index.ts', './container.ts', './testing/index.ts', './mcp/index.ts'],
    message:
      'nest-module lives on the public doors, as a stranger would: lib/index.js, lib/testing/index.js, lib/container.js.',
  },
  {
    target: ['./nest-module/*.ts', './nest-module/!(testing)/**/*.ts'],
    from: ['./nest-module/testing', './lib/testing'],
    message: 'What is for tests only is behind a door of its own, which no application loads.',
  },
  {
    target: ['./nest-module/*.ts', './nest-module/!(dashboard)/**/*.ts'],
    from: './nest-module/dashboard',
    message: 'The dashboard is behind a door of its own, which an application loads only if it wants one.',
  },
  {
    target: ['./nest-module/*.ts', './nest-module/!(mcp)/**/*.ts'],
    from: ['./nest-module/mcp', './lib/mcp'],
    message:
      'What agents see is behind a door of its own: it needs the MCP SDK, which few applications have.',
  },
  {
    target: './nest-module',
    from: outside.slice(1),
    message: 'nest-module knows nothing of what is built on it.',
  },
  {
    target: './samples',
    from: ['./lib', './nest-module', './test'],
    message:
      "Samples read as a user's code: import from 'relprim', 'relprim/nestjs', 'relprim/testing', 'relprim/nestjs/testing' or 'relprim/nestjs/dashboard'.",
  },
];

const timeReason =
  'Time and chance are injected: take the clock or the random source you were given (lib/time).';
const timersReason = `Fake timers do not move it. ${timeReason}`;
const ownTimers = ['setTimeout', 'setInterval', 'setImmediate', 'performance'];

const bannedTimeModules = (fromTimers) => [
  { name: 'node:timers', message: timersReason, ...fromTimers },
  { name: 'node:timers/promises', message: timersReason },
  { name: 'node:perf_hooks', message: timersReason },
];

const readsTheClock = [
  'NewExpression[callee.name="Date"][arguments.length=0]',
  'CallExpression[callee.name="Date"]',
].map((selector) => ({ selector, message: timeReason }));

const starExport = {
  selector: 'ExportAllDeclaration',
  message: 'The public surface is written by hand: name each export.',
};

const lateImport = {
  selector: 'ImportExpression',
  message: 'Only lib/adapters/* and the command in lib/mcp may load a module late: peers are optional there.',
};

/**
 * One part of the tree. Every rule with a list is given whole here, because a later configuration replaces an
 * earlier list instead of adding to it.
 */
function part({
  files,
  ignores = [],
  packages,
  timers = ownTimers,
  fromTimers = {},
  clock = true,
  syntax = [],
}) {
  return {
    files,
    ignores,
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: clock ? bannedTimeModules(fromTimers) : [], patterns: [packages] },
      ],
      'no-restricted-globals': [
        'error',
        {
          globals: timers.map((name) => ({ name, message: timeReason })),
          checkGlobalObject: true,
          globalObjects: ['global'],
        },
      ],
      'no-restricted-properties': [
        'error',
        ...(clock
          ? [
              { object: 'Date', property: 'now', message: timeReason },
              { object: 'Math', property: 'random', message: timeReason },
              { object: 'process', property: 'hrtime', message: timeReason },
            ]
          : []),
        {
          object: 'AbortSignal',
          property: 'timeout',
          message: 'It has a clock of its own that no test can move.',
        },
      ],
      'no-restricted-syntax': ['error', ...(clock ? readsTheClock : []), starExport, ...syntax],
    },
  };
}

const builtinsOnly = {
  regex: '^(?!\\.{1,2}/|node:)',
  message:
    'lib has no dependencies: only node:* here. An optional peer goes behind a door, in lib/adapters/*.',
};

const mcpPackages = {
  regex: '^(?!\\.{1,2}/|node:|(?:zod|@modelcontextprotocol/sdk)(?:/|$))',
  message: 'lib/mcp imports node:*, the MCP SDK and zod, which comes with it.',
};
const mcpCommand = ['lib/mcp/bin.ts', 'lib/mcp/cli/**/*.ts'];

export const fences = [
  {
    files: ['lib/**/*.ts', 'nest-module/**/*.ts', 'samples/**/*.ts'],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/extensions': ['.ts'],
      // A source says './x.js' and means './x.ts'.
      'import-x/resolver-next': [createNodeResolver({ extensionAlias: { '.js': ['.ts', '.js'] } })],
    },
    rules: {
      'import-x/no-restricted-paths': ['error', { basePath: import.meta.dirname, zones }],
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-self-import': 'error',
    },
  },
  {
    files: ['lib/**/*.ts', 'nest-module/**/*.ts'],
    rules: {
      'import-x/no-default-export': 'error',
      'max-lines': ['error', { max: 200, skipBlankLines: false, skipComments: false }],
      // Also bans `import('…').Type`, which no path rule sees.
      '@typescript-eslint/consistent-type-imports': 'error',
    },
  },
  {
    files: ['lib/index.ts'],
    // The public surface is one list, however long.
    rules: { 'max-lines': 'off' },
  },
  part({
    files: ['lib/**/*.ts'],
    ignores: ['lib/time/**', 'lib/testing/**', 'lib/adapters/**', 'lib/mcp/**'],
    packages: builtinsOnly,
    syntax: [lateImport],
  }),
  part({
    files: ['lib/time/**/*.ts'],
    packages: builtinsOnly,
    timers: [],
    clock: false,
    syntax: [lateImport],
  }),
  part({
    files: ['lib/testing/**/*.ts'],
    packages: builtinsOnly,
    // A fake clock lets the real event loop turn between two steps.
    timers: ownTimers.filter((name) => name !== 'setImmediate'),
    fromTimers: { allowImportNames: ['setImmediate'] },
    syntax: [lateImport],
  }),
  part({
    files: ['lib/adapters/**/*.ts'],
    packages: {
      regex: `^(?!\\.{1,2}/|node:|${optionalPeers})`,
      message: 'An adapter imports node:* and its one optional peer. @nestjs/* belongs to nest-module.',
    },
  }),
  part({
    files: ['lib/mcp/**/*.ts'],
    ignores: mcpCommand,
    packages: mcpPackages,
    syntax: [lateImport],
  }),
  part({
    // The command says what to install where the SDK is missing, so it looks for it late.
    files: mcpCommand,
    packages: builtinsOnly,
  }),
  part({
    files: ['nest-module/**/*.ts'],
    packages: {
      regex: '^(?!\\.{1,2}/|node:|@nestjs/|rxjs(?:/|$)|reflect-metadata$)',
      message:
        'nest-module imports node:*, @nestjs/*, rxjs and reflect-metadata. Other peers go in lib/adapters/*.',
    },
  }),
];
