// The Nodes of our range, and programs from npm: each in a folder of its own, installed once, as nothing in it changes but
// by what stands in the sources.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const NODES = { 20: '20.20.2', 22: '22.23.5', 24: '24.22.3' };
export const majors = Object.keys(NODES).map(Number);
export const ownMajor = Number(process.versions.node.split('.')[0]);
export const root = path.resolve(import.meta.dirname, '..');
export const shelf = path.join(root, '.matrix');

/** The folder in which these dependencies are. */
export function install(name, dependencies) {
  const folder = path.join(shelf, name);
  const manifest = path.join(folder, 'package.json');
  const wanted = JSON.stringify({ private: true, dependencies, scarfSettings: { enabled: false } }, null, 2);
  const isThere = existsSync(path.join(folder, 'node_modules')) && readFileSync(manifest, 'utf8') === wanted;
  if (isThere) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(manifest, wanted);
  npm(folder, 'install', '--no-package-lock', '--legacy-peer-deps');
  return folder;
}

export function npm(cwd, ...args) {
  const flags = ['--no-audit', '--no-fund', '--no-bin-links', '--loglevel=error'];
  execFileSync('npm', [...args, ...flags], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The program of that Node: the one that runs this, or one from npm. */
export function nodeOf(major) {
  if (major === ownMajor) return process.execPath;
  const name = `node${major}`;
  const packed = `npm:node-${process.platform}-${process.arch}@${NODES[major]}`;
  return path.join(install(name, { [name]: packed }), `node_modules/${name}/bin/node`);
}
