// Tests the parcel, not the workshop: packs the package, inspects it, installs it into real consumers and runs them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '..');
const programs = path.join(root, 'test/consumers');
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const bin = (name) => path.join(root, 'node_modules/.bin', name);

/** What a user of the older resolution writes; Nest 12 is ES modules only and cannot be seen that way. */
const node10 = [
  '-p',
  '.',
  '--noEmit',
  '--module',
  'commonjs',
  '--moduleResolution',
  'node10',
  '--ignoreDeprecations',
  '6.0',
];

/** Tests that are ES modules. */
const modules = ['jest', 'vitest'].flatMap((runner) => [
  [runner, 'doors.test.mjs'],
  [runner, 'testing.test.mjs'],
]);

const consumers = [
  { name: 'plain-esm', program: 'plain', alsoCompile: ['-p', 'tsconfig.typings.json'] },
  { name: 'plain-cjs', program: 'plain', alsoCompile: node10 },
  {
    name: 'nest11-cjs',
    program: 'nest',
    alsoCompile: node10,
    alsoRun: ['nest-table', 'nest-tc39'],
    runners: [['jest', 'doors.test.cjs'], ['jest', 'testing.test.cjs'], ...modules],
  },
  // Jest cannot require an ES module, which all of Nest 12 is: no CommonJS test of it there.
  {
    name: 'nest12-esm',
    program: 'nest',
    alsoRun: ['nest-table', 'nest-tc39'],
    runners: modules,
  },
];

/** Test runners of a user, with ours in the place of an installed one. */
const runners = {
  jest: (cwd, file) => [
    '--experimental-vm-modules',
    path.join(root, 'node_modules/jest/bin/jest.js'),
    `--rootDir=${cwd}`,
    `--testMatch=**/runners/${file}`,
    `--config=${JSON.stringify({
      testEnvironment: fileURLToPath(import.meta.resolve('jest-environment-node')),
      transform: {},
      moduleFileExtensions: ['js', 'mjs', 'cjs', 'json', 'node'],
    })}`,
  ],
  vitest: (cwd, file) => [
    path.join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    `--root=${cwd}`,
    '--globals',
    `runners/${file}`,
  ],
};

const sharedFiles = ['tsconfig.json', 'tsconfig.typings.json', 'typings.ts'];

async function pack(folder) {
  await run(process.execPath, ['scripts/build.mjs', '--if-changed'], { cwd: root });
  // Its script builds once more.
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
  const [tarball] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
  return path.join(folder, tarball);
}

/** The parcel as tools see it. */
async function inspect(tarball) {
  await run(bin('publint'), ['run', tarball, '--strict', '--level', 'suggestion'], { cwd: root });
  await run(bin('attw'), [tarball, '--no-definitely-typed'], { cwd: root });
}

/** Everything a door reaches by relative imports, and the packages met on the way. */
async function packagesBehind(door) {
  const suffix = door.endsWith('.d.ts') ? '.d.ts' : '.js';
  const seen = new Set();
  const packages = new Set();
  await (async function visit(file) {
    if (seen.has(file)) return;
    seen.add(file);
    const info = ts.preProcessFile(await readFile(file, 'utf8'), true, true);
    for (const { fileName } of info.typeReferenceDirectives) packages.add(`types="${fileName}"`);
    for (const { fileName } of info.importedFiles) {
      if (fileName.startsWith('.'))
        await visit(path.resolve(path.dirname(file), fileName.replace(/\.js$/, suffix)));
      else packages.add(fileName);
    }
  })(path.join(root, door));
  return [...packages];
}

/** What the doors without a framework may load: Node, and the peers that they are named after. */
const peersOf = {
  'lib/index': [],
  'lib/testing/index': [],
  'lib/adapters/class-validator': ['class-transformer', 'class-validator'],
  'lib/adapters/json-schema': ['ajv', 'ajv-formats'],
  'lib/adapters/opentelemetry': ['@opentelemetry'],
  'lib/adapters/redis': [],
  'lib/adapters/sqlite': [],
  'lib/mcp/index': ['@modelcontextprotocol', 'zod'],
};

/** Their typings need not even Node's; the class-validator door shows the options of its peer. */
const typingsOf = {
  'lib/adapters/class-validator': ['class-validator'],
  'lib/adapters/opentelemetry': ['@opentelemetry/api'],
};

async function checkDoors() {
  for (const format of ['esm', 'cjs']) {
    for (const [door, peers] of Object.entries(peersOf)) {
      const loaded = await packagesBehind(`dist/${format}/${door}.js`);
      const packages = loaded.filter((name) => !name.startsWith('node:')).map((name) => name.split('/')[0]);
      assert.deepEqual([...new Set(packages)].sort(), peers, `dist/${format}/${door}.js loads`);
      const named = await packagesBehind(`dist/${format}/${door}.d.ts`);
      assert.deepEqual(named, typingsOf[door] ?? [], `dist/${format}/${door}.d.ts names`);
    }
  }
}

async function checkConsumer(consumer, tarball, workshop) {
  const { name, program, alsoCompile, alsoRun = [], runners: wanted = [] } = consumer;
  const cwd = path.join(workshop, name);
  await cp(path.join(programs, name), cwd, { recursive: true });
  await cp(path.join(programs, `${program}.ts`), path.join(cwd, 'main.ts'));
  for (const file of [...sharedFiles, ...alsoRun]) {
    await cp(path.join(programs, file), path.join(cwd, file), { recursive: true });
  }
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', tarball], { cwd });

  if (alsoCompile) await run(process.execPath, [tsc, ...alsoCompile], { cwd });
  await run(process.execPath, [tsc, '-p', '.'], { cwd });
  await checkOutput(name, cwd, 'main.js', `${program}.expected.txt`);
  for (const folder of alsoRun) {
    const hasOwnCompiler = existsSync(path.join(cwd, folder, 'tsconfig.json'));
    if (hasOwnCompiler) await run(process.execPath, [tsc, '-p', folder], { cwd });
    await checkOutput(name, cwd, `${folder}/main.js`, `${folder}/expected.txt`);
  }
  if (wanted.length > 0)
    await cp(path.join(programs, 'runners'), path.join(cwd, 'runners'), { recursive: true });
  for (const [runner, file] of wanted) {
    await run(process.execPath, runners[runner](cwd, file), { cwd, timeout: 120_000 });
  }
}

/** The command of the MCP server, in a folder with nothing but the parcel; then with the SDK. */
async function checkCommand(tarball, workshop) {
  const cwd = path.join(workshop, 'mcp-command');
  await mkdir(cwd);
  await writeFile(path.join(cwd, 'package.json'), '{ "private": true }');
  const install = (...packages) =>
    run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', ...packages], { cwd });
  const command = (...words) => {
    const running = run('npx', ['--no-install', 'relprim-mcp', ...words], { cwd, timeout: 60_000 });
    running.child.stdin.end();
    return running;
  };
  await install(tarball);
  assert.match((await command('--help')).stdout, /^relprim-mcp: /);
  await assert.rejects(
    command(),
    ({ code, stderr }) => code === 1 && /npm install @modelcontext/.test(stderr),
  );
  const { devDependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  await install(`@modelcontextprotocol/sdk@${devDependencies['@modelcontextprotocol/sdk']}`);
  assert.match((await command('--help')).stdout, /^relprim-mcp: /);
  assert.equal((await command('--allow-host', 'api.example.com')).stdout, '');
}

/** The whole output, as a program that waits for ever ends in silence and with exit code 0. */
async function checkOutput(name, cwd, script, expected) {
  const { stdout, stderr } = await run(process.execPath, [script], { cwd, timeout: 60_000 });
  assert.equal(stdout, await readFile(path.join(programs, expected), 'utf8'), `${name} prints`);
  assert.equal(stderr, '', `${name} complains`);
}

async function step(title, work) {
  const start = Date.now();
  const report = (verdict) =>
    console.log(`${verdict} ${title} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  try {
    const made = await work();
    report('ok    ');
    return made;
  } catch (error) {
    report('FAILED');
    // tsc, publint and attw complain on stdout.
    console.log([error.message, error.stdout, error.stderr].filter(Boolean).join('\n'));
    process.exitCode = 1;
  }
}

const workshop = await mkdtemp(path.join(tmpdir(), 'relprim-pack-'));
try {
  const tarball = await step('npm pack', () => pack(workshop));
  if (tarball) {
    await step('publint, are the types wrong', () => inspect(tarball));
    await step('doors need no package', checkDoors);
    await step('relprim-mcp', () => checkCommand(tarball, workshop));
    await Promise.all(
      consumers.map((consumer) => step(consumer.name, () => checkConsumer(consumer, tarball, workshop))),
    );
  }
} finally {
  await rm(workshop, { recursive: true, force: true });
}
