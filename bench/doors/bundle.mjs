// What a bundler makes of each door: minified by esbuild, packed by gzip, without the packages that it uses of others.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from '../../scripts/node-versions.mjs';

const { exports, peerDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

export const RESILIENT = "import { Resilient } from 'relprim'";

/** The doors by the names that they are imported by. */
export const doors = Object.keys(exports)
  .filter((door) => !door.endsWith('.json'))
  .map((door) => path.posix.join('relprim', door));

/** Bytes of each door as a whole and of the decorator alone, and the packages of others that a door loads at once. */
export async function bundles() {
  const sizes = { [RESILIENT]: await bundle("export { Resilient } from 'relprim';") };
  for (const door of doors) sizes[door] = await bundle(`export * from '${door}';`);
  return sizes;
}

async function bundle(contents) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    external: Object.keys(peerDependencies),
    logLevel: 'error',
  });
  const [{ contents: code }] = outputFiles;
  const [{ imports }] = Object.values(metafile.outputs);
  const peers = imports
    .filter(({ path: name, kind }) => kind === 'import-statement' && isPeer(name))
    .map(({ path: name }) => name);
  return { minified: code.length, gzipped: gzipSync(code, { level: 9 }).length, peers: [...new Set(peers)] };
}

function isPeer(name) {
  return Object.keys(peerDependencies).some((peer) => name === peer || name.startsWith(`${peer}/`));
}
