import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { format } from 'node:util';
import { afterEach, expect, it, jest } from '@jest/globals';
import { fencesOf, writeModules } from '../docs/fences.js';
import { describeWithSqlite } from './driver.js';
import { Database } from './find-driver.js';

const examples = writeModules(fencesOf('docs/sqlite.md'), 'docs-sqlite').filter(({ words }) =>
  words.includes('sqlite'),
);

afterEach(() => void jest.restoreAllMocks());

// Beside test/docs, as these need a driver, which those that run everywhere have not.
describeWithSqlite('the page on SQLite', () => {
  it('has examples', () => expect(examples).toHaveLength(1));

  it.each(examples)('prints what it says it prints: $place', async ({ path: module, output }) => {
    // As if it were installed.
    jest.unstable_mockModule('better-sqlite3', () => ({ default: Database }), { virtual: true });
    const lines: string[] = [];
    jest.spyOn(console, 'log').mockImplementation((...parts: unknown[]) => void lines.push(format(...parts)));
    const home = process.cwd();
    const folder = mkdtempSync(path.join(tmpdir(), 'relprim-page-'));
    try {
      process.chdir(folder);
      await import(module);
    } finally {
      process.chdir(home);
      rmSync(folder, { recursive: true, force: true });
    }
    expect(lines.join('\n')).toBe(output);
  });
});
