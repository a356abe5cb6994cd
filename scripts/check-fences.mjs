// Proves the fences of eslint.fences.js: on a small model of the tree each violation is an error and its legal neighbour is not.
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { floors, libDoors, policyRooms } from '../eslint.fences.js';

const root = path.resolve(import.meta.dirname, '..');
const model = path.join(root, '.build/fences');
const used = 'void x;\n';

/** The model: one file in every room, and the configuration itself, so that its paths mean the model's folders. */
async function buildModel() {
  const rooms = [...floors.flat(), ...libDoors.filter((door) => !door.endsWith('.ts'))].map(
    (name) => `lib/${name}/x.ts`,
  );
  const files = [
    ...rooms,
    ...policyRooms.map((name) => `lib/policies/${name}/x.ts`),
    ...['lib/index.ts', 'lib/container.ts', 'lib/testing/index.ts', 'lib/mcp/index.ts'],
    ...[
      'nest-module/x.ts',
      'nest-module/testing/x.ts',
      'nest-module/dashboard/x.ts',
      'nest-module/mcp/x.ts',
      'test/x.ts',
    ],
  ];
  await rm(model, { recursive: true, force: true });
  for (const file of files) await write(file, 'export const x = 1;\n');
  await write('lib/report/there.ts', "import { x } from './back.js';\nexport const y = x;\n");
  await write('lib/report/back.ts', "import { y } from './there.js';\nexport const x = y;\n");
  await cp(path.join(root, 'eslint.config.js'), path.join(model, 'eslint.config.js'));
  await cp(path.join(root, 'eslint.fences.js'), path.join(model, 'eslint.fences.js'));
}

async function write(file, text) {
  const target = path.join(model, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, text);
}

const take = (specifier) => `import { x } from '${specifier}';\n${used}`;
const lines = (count) => '// a line\n'.repeat(count);
const paths = 'import-x/no-restricted-paths';
const packages = 'no-restricted-imports';

/** [rule, file, code that breaks it, code next to it that does not] */
const cases = [
  // Floors
  [paths, 'lib/time/a.ts', take('../errors/x.js'), take('./x.js')],
  [paths, 'lib/errors/a.ts', take('../report/x.js'), take('../time/x.js')],
  [paths, 'lib/backoff/a.ts', take('../attempt/x.js'), take('../errors/x.js')],
  [paths, 'lib/attempt/a.ts', take('../policies/retry/x.js'), take('../backoff/x.js')],
  [paths, 'lib/policies/retry/a.ts', take('../../operation/x.js'), take('../../attempt/x.js')],
  [paths, 'lib/operation/a.ts', take('../shield/x.js'), take('../policies/retry/x.js')],
  [paths, 'lib/operation/a.ts', take('../decorator/x.js'), take('../policies/timeout/x.js')],
  [paths, 'lib/shield/a.ts', take('../decorator/x.js'), take('../operation/x.js')],
  [paths, 'lib/decorator/a.ts', take('../index.js'), take('../shield/x.js')],
  [paths, 'lib/decorator/a.ts', take('../container.js'), take('../operation/x.js')],
  [
    paths,
    'lib/events/a.ts',
    "import type { x } from '../operation/x.js';\nexport type X = typeof x;\n",
    take('../time/x.js'),
  ],
  [
    paths,
    'lib/events/a.ts',
    "export { x } from '../operation/x.js';\n",
    "export { x } from '../time/x.js';\n",
  ],
  [paths, 'lib/decorator/a.ts', take('../testing/index.js'), take('../events/x.js')],
  [paths, 'lib/decorator/a.ts', take('../adapters/x.js'), take('../errors/x.js')],
  [paths, 'lib/decorator/a.ts', take('../mcp/x.js'), take('../time/x.js')],
  [paths, 'lib/index.ts', take('./testing/index.js'), take('./decorator/x.js')],
  [paths, 'lib/testing/index.ts', take('../index.js'), take('../time/x.js')],
  [paths, 'lib/time/a.ts', take('../../nest-module/x.js'), take('./x.js')],
  [
    '@typescript-eslint/consistent-type-imports',
    'lib/time/a.ts',
    "export type X = import('./x.js').X;\n",
    "export type { X } from './x.js';\n",
  ],
  // Rooms, and cycles
  ...policyRooms.map((room) => {
    const neighbour = policyRooms.find((other) => other !== room);
    return [paths, `lib/policies/${room}/a.ts`, take(`../${neighbour}/x.js`), take('./x.js')];
  }),
  ['import-x/no-cycle', 'lib/report/there.ts', take('./back.js'), take('./x.js')],
  // The Nest layer, samples
  [paths, 'nest-module/a.ts', take('../lib/operation/x.js'), take('../lib/index.js')],
  [paths, 'nest-module/deep/er/a.ts', take('../../../lib/time/x.js'), take('../../../lib/container.js')],
  [paths, 'nest-module/testing/a.ts', take('../../lib/testing/x.js'), take('../../lib/testing/index.js')],
  [paths, 'nest-module/a.ts', take('../lib/testing/index.js'), take('../lib/index.js')],
  [paths, 'nest-module/a.ts', take('./testing/x.js'), take('./x.js')],
  [paths, 'nest-module/deep/er/a.ts', take('../../testing/x.js'), take('../../x.js')],
  [paths, 'nest-module/a.ts', take('./dashboard/x.js'), take('./x.js')],
  [paths, 'nest-module/deep/a.ts', take('../dashboard/x.js'), take('../x.js')],
  [paths, 'nest-module/dashboard/a.ts', take('../testing/x.js'), take('../x.js')],
  [paths, 'nest-module/a.ts', take('../lib/mcp/index.js'), take('../lib/index.js')],
  [paths, 'nest-module/state/a.ts', take('../mcp/x.js'), take('../x.js')],
  [paths, 'nest-module/mcp/a.ts', take('../../lib/mcp/x.js'), take('../../lib/mcp/index.js')],
  [paths, 'nest-module/a.ts', take('../test/x.js'), take('./x.js')],
  [paths, 'samples/a/main.ts', take('../../lib/index.js'), take('relprim')],
  // Packages
  [packages, 'lib/operation/a.ts', take('@nestjs/common'), take('node:async_hooks')],
  [packages, 'lib/decorator/a.ts', take('reflect-metadata'), take('node:util')],
  [packages, 'lib/policies/validation/a.ts', take('zod'), take('../../errors/x.js')],
  [packages, 'lib/testing/a.ts', take('@jest/globals'), take('node:assert')],
  [packages, 'lib/time/a.ts', take('fs'), take('node:fs')],
  [packages, 'lib/adapters/a.ts', take('@nestjs/common'), take('zod')],
  [packages, 'lib/adapters/a.ts', take('zodiac'), take('@opentelemetry/api')],
  [packages, 'lib/adapters/a.ts', take('@modelcontextprotocol/sdk/types.js'), take('zod')],
  [packages, 'lib/mcp/tools/a.ts', take('ajv'), take('@modelcontextprotocol/sdk/types.js')],
  [packages, 'lib/mcp/a.ts', take('@nestjs/common'), take('zod/v4')],
  [packages, 'lib/mcp/cli/a.ts', take('@modelcontextprotocol/sdk/types.js'), take('node:util')],
  [paths, 'lib/mcp/a.ts', take('../adapters/x.js'), take('../operation/x.js')],
  ['no-restricted-syntax', 'lib/mcp/a.ts', "export const x = () => import('zod');\n", take('../time/x.js')],
  [packages, 'nest-module/a.ts', take('class-validator'), take('@nestjs/common')],
  [packages, 'nest-module/a.ts', take('rxjs-more'), take('rxjs/operators')],
  [
    'no-restricted-syntax',
    'lib/operation/a.ts',
    "export const x = () => import('zod');\n",
    take('../time/x.js'),
  ],
  // Time and chance
  [
    'no-restricted-properties',
    'lib/operation/a.ts',
    'export const x = Date.now();\n',
    'export const x = Date.UTC(1);\n',
  ],
  [
    'no-restricted-properties',
    'nest-module/a.ts',
    'export const x = Math.random();\n',
    'export const x = Math.min(1);\n',
  ],
  ['no-restricted-properties', 'lib/time/a.ts', 'AbortSignal.timeout(1);\n', 'Date.now();\n'],
  [
    'no-restricted-syntax',
    'lib/report/a.ts',
    'export const x = new Date();\n',
    'export const x = new Date(0);\n',
  ],
  [
    'no-restricted-syntax',
    'nest-module/a.ts',
    'export const x = Date();\n',
    'export const x = new Date(0);\n',
  ],
  ['no-restricted-globals', 'lib/operation/a.ts', 'setTimeout(() => {}, 1);\n', 'clearTimeout(1);\n'],
  [
    'no-restricted-globals',
    'lib/events/a.ts',
    'globalThis.setInterval(() => {}, 1);\n',
    'queueMicrotask(() => {});\n',
  ],
  ['no-restricted-globals', 'nest-module/a.ts', 'performance.now();\n', 'structuredClone(1);\n'],
  ['no-restricted-globals', 'lib/operation/a.ts', 'setImmediate(() => {});\n', 'export {};\n'],
  ['no-restricted-globals', 'lib/testing/a.ts', 'setTimeout(() => {}, 1);\n', 'setImmediate(() => {});\n'],
  [packages, 'lib/operation/a.ts', take('node:timers/promises'), take('node:events')],
  [
    packages,
    'lib/testing/a.ts',
    "import { setTimeout } from 'node:timers';\n",
    "import { setImmediate } from 'node:timers';\n",
  ],
  // Exports and sizes
  ['import-x/no-default-export', 'lib/time/a.ts', 'export default 1;\n', 'export const x = 1;\n'],
  ['import-x/no-default-export', 'nest-module/a.ts', 'export default 1;\n', 'export const x = 1;\n'],
  [
    'no-restricted-syntax',
    'lib/index.ts',
    "export * from './time/x.js';\n",
    "export { x } from './time/x.js';\n",
  ],
  [
    'no-restricted-syntax',
    'nest-module/index.ts',
    "export * from './x.js';\n",
    "export { x } from './x.js';\n",
  ],
  ['max-lines', 'lib/time/a.ts', lines(201), lines(200)],
  ['max-lines', 'nest-module/a.ts', lines(201), lines(200)],
];

/** A folder nobody listed would have no fence at all. */
async function unlistedFolders(folder, listed) {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !listed.includes(entry.name))
    .map(({ name }) => `${folder}/${name}`);
}

await buildModel();
const eslint = new ESLint({
  cwd: model,
  overrideConfig: [
    // The fences look at text alone; the model has no types to look up.
    tseslint.configs.disableTypeChecked,
    { languageOptions: { parserOptions: { projectService: false, project: false } } },
  ],
});
const errorsOf = async (code, file) => {
  const [result] = await eslint.lintText(code, { filePath: path.join(model, file) });
  return result.messages.filter(({ severity }) => severity === 2);
};

const mistakes = [];
for (const [rule, file, wrong, right] of cases) {
  const caught = (await errorsOf(wrong, file)).filter(({ ruleId }) => ruleId === rule);
  if (caught.length === 0) mistakes.push(`${file}: ${rule} does not see\n${wrong}`);
  const blamed = (await errorsOf(right, file)).filter(({ ruleId }) =>
    cases.some(([known]) => known === ruleId),
  );
  if (blamed.length > 0)
    mistakes.push(`${file}: ${blamed[0].ruleId} (${blamed[0].message}) forbids\n${right}`);
}
const unlisted = [
  ...(await unlistedFolders('lib', [...floors.flat(), ...libDoors])),
  ...(await unlistedFolders('lib/policies', policyRooms)),
];
await rm(model, { recursive: true });

for (const folder of unlisted) mistakes.push(`${folder} has no fence: list it in eslint.fences.js`);
for (const mistake of mistakes) console.error(mistake);
console.log(
  `fences: ${cases.length} pairs of a violation and its legal neighbour, ${mistakes.length} mistakes`,
);
if (mistakes.length > 0) process.exitCode = 1;
