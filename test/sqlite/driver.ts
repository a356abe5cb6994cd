import { describe } from '@jest/globals';
import { Database } from './find-driver.js';

export { open, openReadOnly, peerFolder } from './find-driver.js';

const WITHOUT =
  'this Node has no node:sqlite; node scripts/install-better-sqlite3.mjs installs better-sqlite3';

/** Tests that need a driver; without one they are skipped and their title says why. */
export function describeWithSqlite(title: string, tests: () => void): void {
  if (Database !== undefined) describe(title, tests);
  else describe.skip(`${title} (${WITHOUT})`, tests);
}
