// What the build is made of, in one value: what was made of the same need not be made again.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');
const FOLDERS = ['lib', 'nest-module'];
const FILES = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/build.mjs',
];

/** A hash of every file that the build reads, with its name. */
export async function hashOfSources() {
  const listed = await Promise.all(
    FOLDERS.map((folder) => readdir(path.join(root, folder), { recursive: true, withFileTypes: true })),
  );
  const inFolders = listed
    .flat()
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(root, path.join(parentPath, name)));
  const hash = createHash('sha256');
  for (const file of [...FILES, ...inFolders.sort()]) {
    hash.update(`${file}\n`);
    hash.update(await readFile(path.join(root, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
