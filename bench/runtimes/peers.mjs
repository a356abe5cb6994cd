// What we are compared with, by exact versions and lockfiles in bench/peers: the newest of each that runs on that Node.
// Never among our own dependencies: nestjs-resilience needs a Nest of its own, and most need a newer Node than we do.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npm, ownMajor, root, shelf } from '../../scripts/node-versions.mjs';

const nameFor = (major) => (major < 22 ? 'node20' : 'node22');

export function peersFolder(major = ownMajor) {
  return path.join(shelf, `peers-${nameFor(major)}`);
}

export function installPeers(major) {
  const folder = peersFolder(major);
  const source = path.join(root, 'bench/peers', nameFor(major));
  const [wanted, there] = [source, folder].map((at) => path.join(at, 'package-lock.json'));
  if (!existsSync(path.join(folder, 'installed')) || read(wanted) !== read(there)) {
    mkdirSync(folder, { recursive: true });
    for (const file of ['package.json', 'package-lock.json'])
      copyFileSync(path.join(source, file), path.join(folder, file));
    npm(folder, 'ci', '--ignore-scripts');
    writeFileSync(path.join(folder, 'installed'), '');
  }
  // A module is looked for from where the import is written.
  writeFileSync(path.join(folder, 'load.mjs'), 'export const load = (name) => import(name);\n');
}

export function peerVersions(major) {
  const { dependencies } = JSON.parse(read(path.join(root, 'bench/peers', nameFor(major), 'package.json')));
  return dependencies;
}

function read(file) {
  return readFileSync(file, 'utf8');
}
