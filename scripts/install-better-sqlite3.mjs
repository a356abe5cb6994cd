// Gives the tests of relprim/sqlite the peer that a Node without node:sqlite needs. It is no development dependency:
// there is nothing built of it, so that every `npm ci` would need a compiler and a minute.
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** The shelf of scripts/node-versions.mjs. The tests look here, or where RELPRIM_BETTER_SQLITE3 says. */
const folder = path.resolve(import.meta.dirname, '../.matrix/sqlite');
const VERSION = '12.11.1';

/** Opened, not looked at: it may have been built for another Node, or not to its end. */
async function works() {
  const open = `const Database = require('better-sqlite3'); new Database(':memory:').close();
    if (require('better-sqlite3/package.json').version !== '${VERSION}') throw new Error('another version');`;
  try {
    await run(process.execPath, ['-e', open], { cwd: folder });
    return true;
  } catch {
    return false;
  }
}

if (process.getBuiltinModule('node:sqlite') !== undefined) {
  console.log(`not needed: Node ${process.versions.node} has node:sqlite`);
} else if (await works()) {
  console.log(`better-sqlite3 ${VERSION} is there`);
} else {
  await rm(path.join(folder, 'node_modules'), { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const dependencies = { 'better-sqlite3': VERSION };
  await writeFile(
    path.join(folder, 'package.json'),
    JSON.stringify({ private: true, dependencies }, null, 2),
  );
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: folder });
  if (!(await works())) throw new Error(`better-sqlite3 ${VERSION} was installed and does not open a file`);
  console.log(`better-sqlite3 ${VERSION} is installed`);
}
