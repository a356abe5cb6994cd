// Packages of one job, installed when it first runs: `npm ci` need not wait for them.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--legacy-peer-deps', '--no-bin-links'];

/** Gives the folder, whose `node_modules` then has these dependencies. */
export async function install(folder, dependencies) {
  const wanted = JSON.stringify({ private: true, dependencies, scarfSettings: { enabled: false } }, null, 2);
  const manifest = path.join(folder, 'package.json');
  const isThere =
    existsSync(path.join(folder, 'node_modules')) && (await readFile(manifest, 'utf8')) === wanted;
  if (isThere) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(manifest, wanted);
  await promisify(execFile)('npm', ['install', ...flags], { cwd: folder });
  return folder;
}
