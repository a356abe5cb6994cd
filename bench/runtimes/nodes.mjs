// The Nodes to measure on. Those that do not run this come from npm, into the folders of scripts/check-matrix.mjs.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const NODES = { 20: '20.20.2', 22: '22.23.5', 24: '24.22.3' };
export const majors = Object.keys(NODES).map(Number);
export const ownMajor = Number(process.versions.node.split('.')[0]);
export const root = path.resolve(import.meta.dirname, '../..');
export const shelf = path.join(root, '.matrix');

export function nodeOf(major) {
  if (major === ownMajor) return process.execPath;
  const name = `node${major}`;
  const folder = path.join(shelf, name);
  const manifest = path.join(folder, 'package.json');
  const dependencies = { [name]: `npm:node-${process.platform}-${process.arch}@${NODES[major]}` };
  const wanted = JSON.stringify({ private: true, dependencies, scarfSettings: { enabled: false } }, null, 2);
  const isThere = existsSync(path.join(folder, 'node_modules')) && readFileSync(manifest, 'utf8') === wanted;
  if (!isThere) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(manifest, wanted);
    npm(folder, 'install', '--no-package-lock', '--legacy-peer-deps');
  }
  return path.join(folder, `node_modules/${name}/bin/node`);
}

export function npm(cwd, ...args) {
  const flags = ['--no-audit', '--no-fund', '--no-bin-links', '--loglevel=error'];
  execFileSync('npm', [...args, ...flags], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
