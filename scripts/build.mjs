// Builds dist/esm and dist/cjs: the same sources through tsc twice, so both halves have one file per source and their own typings.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

process.chdir(new URL('..', import.meta.url).pathname);
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

async function compile(project) {
  const [code] = await once(spawn(process.execPath, [tsc, '-p', project], { stdio: 'inherit' }), 'exit');
  if (code !== 0) throw new Error(`tsc -p ${project} failed`);
}

// A file left over from a deleted source would still be packed.
await rm('dist', { recursive: true, force: true });
await Promise.all([compile('tsconfig.esm.json'), compile('tsconfig.cjs.json')]);
// The package is "type": "module"; without this marker Node would read the CommonJS half as ES modules.
await writeFile('dist/cjs/package.json', '{ "type": "commonjs" }\n');
