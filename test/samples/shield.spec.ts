import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';

it('the sample of a shield prints rate, timeout and budget as they move, and draws their curves', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relprim-shield-'));
  const before = process.cwd();
  const lines: string[] = [];
  const log = jest.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  process.argv.push('--brief');
  process.chdir(folder);
  try {
    await import('../../samples/shield.js');
    const svg = readFileSync('shield.svg', 'utf8');
    expect(svg).toMatch(/^<svg [\s\S]*<polyline [\s\S]*<\/svg>\n$/);
    for (const title of ['calls per second', 'timeout, ms', 'retries left', 'well', 'slow', 'overloaded'])
      expect(svg).toContain(title);
  } finally {
    process.chdir(before);
    process.argv.pop();
    log.mockRestore();
    rmSync(folder, { recursive: true });
  }
  const seen = lines
    .slice(1, -1)
    .map((line) => /^ *[\d.]+ s +(\S+(?: again)?) +\d+ +(no limit|[\d.]+\/s) +(\d+) ms/.exec(line));
  expect(seen).not.toContain(null);
  const of = (phase: string) =>
    seen.filter((found) => found?.[1] === phase).map((found) => Number(found?.[3]));
  // It waits longer for a slow upstream than it did for a fast one.
  expect(Math.max(...of('slow'))).toBeGreaterThan(Math.min(...of('well')));
  // What is overloaded is asked no more than it seems to bear.
  expect(seen.some((found) => found?.[1] === 'overloaded' && found[2] !== 'no limit')).toBe(true);
  expect(lines.at(-1)).toMatch(/^\d+ calls answered, \d+ given up\. The curves are in shield\.svg$/);
}, 30_000);
