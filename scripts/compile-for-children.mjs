// Compiles the sources for tests that run the library in processes of their own, once for the same sources, and says where.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { hashOfSources, root } from './sources.mjs';

const PREFIX = 'for-children-';
const build = path.join(root, '.build');
const folder = path.join(build, `${PREFIX}${await hashOfSources()}`);

async function compile() {
  await mkdir(build, { recursive: true });
  const draft = await mkdtemp(path.join(build, 'draft-'));
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const project = path.join(root, 'tsconfig.build.json');
  const args = [tsc, '-p', project, '--outDir', draft, '--noCheck', '--declaration', 'false'];
  try {
    await promisify(execFile)(process.execPath, args);
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Of two that compile at the same time one comes second, and its work is not needed.
    if (!existsSync(folder)) throw error;
  }
  for (const name of await readdir(build))
    if (name.startsWith(PREFIX) && name !== path.basename(folder))
      await rm(path.join(build, name), { recursive: true, force: true });
}

if (!existsSync(folder)) await compile();
process.stdout.write(folder);
