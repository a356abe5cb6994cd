// Builds dist: tsc makes JavaScript and typings once; rollup puts the files behind each door together, as ES modules and
// as CommonJS. The core alone is some 220 files, and a start pays for every one of them. With
// `--if-changed` a build of the same sources stays.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { rollup } from 'rollup';
import { hashOfSources } from './sources.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
/** Where tsconfig.build.json puts what it makes. */
const compiled = path.resolve('.build/compiled');
/** Says of which sources dist was made. It is not in dist, which goes into the parcel as it is. */
const stamp = path.resolve('.build/built');

async function compile() {
  const [code] = await once(
    spawn(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' }),
    'exit',
  );
  if (code !== 0) throw new Error('tsc -p tsconfig.build.json failed');
}

/** What package.json lets in: the doors, and the command. */
async function entries() {
  const { exports, bin } = JSON.parse(await readFile('package.json', 'utf8'));
  const files = Object.values(exports).flatMap((door) => door.import?.default ?? []);
  return [...files, ...Object.values(bin)].map((file) => path.relative('dist/esm', file));
}

/** A source with its map, so that stack traces and debuggers still lead to the TypeScript. */
const withMaps = {
  name: 'with-maps',
  async load(id) {
    const [code, map] = await Promise.all([readFile(id, 'utf8'), readFile(`${id}.map`, 'utf8')]);
    return { code, map };
  },
};

const coreDoor = path.join(compiled, 'lib/index.js');

/**
 * All that the core's door needs is one file, which other doors share. Left to itself, rollup would make a file for each set of
 * doors that a module serves. What serves several other doors it may part so.
 */
function coreIsOneFile() {
  let core;
  return (id, { getModuleInfo }) => {
    if (core === undefined) {
      core = new Set();
      (function visit(module) {
        const { isExternal, importedIds } = getModuleInfo(module);
        if (isExternal || core.has(module)) return;
        core.add(module);
        importedIds.forEach(visit);
      })(coreDoor);
    }
    return core.has(id) ? 'core' : undefined;
  };
}

async function bundle() {
  const input = Object.fromEntries(
    (await entries()).map((file) => [file.replace(/\.js$/, ''), path.join(compiled, file)]),
  );
  const build = await rollup({
    input,
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
    // The compiler's helpers for decorators ask for it.
    context: 'this',
    plugins: [withMaps],
    onwarn({ message }) {
      throw new Error(message);
    },
  });
  const common = {
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name].js',
    manualChunks: coreIsOneFile(),
    minifyInternalExports: false,
    generatedCode: 'es2015',
    externalLiveBindings: false,
  };
  await build.write({ ...common, dir: 'dist/esm', format: 'es' });
  await build.write({
    ...common,
    dir: 'dist/cjs',
    format: 'cjs',
    exports: 'named',
    interop: 'auto',
    // Jest runs CommonJS without dynamic import, unless it is told otherwise.
    dynamicImportInCjs: false,
  });
  await build.close();
}

async function typings() {
  const isTyping = (file) => !/\.js(\.map)?$/.test(file);
  for (const half of ['dist/esm', 'dist/cjs'])
    await cp(compiled, half, { recursive: true, filter: isTyping });
}

async function isBuilt(hash) {
  const files = (await entries()).map((file) => path.join('dist/esm', file));
  if (!['dist/cjs/package.json', stamp, ...files].every((file) => existsSync(file))) return false;
  return (await readFile(stamp, 'utf8')) === hash;
}

const hash = await hashOfSources();
if (process.argv.includes('--if-changed') && (await isBuilt(hash))) process.exit();

// A file left over from a deleted source would still be packed, and half a build is none.
await Promise.all(['dist', compiled, stamp].map((made) => rm(made, { recursive: true, force: true })));
await compile();
await Promise.all([bundle(), typings()]);
// The package is "type": "module"; without this marker Node would read the CommonJS half as ES modules.
await writeFile('dist/cjs/package.json', '{ "type": "commonjs" }\n');
await writeFile(stamp, hash);
