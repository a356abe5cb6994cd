import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { surfacesOf } from './surface.js';

const DOORS = [
  { door: 'relprim', source: 'lib/index.ts', list: 'public-api.txt' },
  { door: 'relprim/testing', source: 'lib/testing/index.ts', list: 'public-api.testing.txt' },
  {
    door: 'relprim/class-validator',
    source: 'lib/adapters/class-validator.ts',
    list: 'public-api.class-validator.txt',
  },
  {
    door: 'relprim/opentelemetry',
    source: 'lib/adapters/opentelemetry.ts',
    list: 'public-api.opentelemetry.txt',
  },
  { door: 'relprim/mcp', source: 'lib/mcp/index.ts', list: 'public-api.mcp.txt' },
  {
    door: 'relprim/nestjs/dashboard',
    source: 'nest-module/dashboard/index.ts',
    list: 'public-api.nestjs-dashboard.txt',
  },
  { door: 'relprim/nestjs/mcp', source: 'nest-module/mcp/index.ts', list: 'public-api.nestjs-mcp.txt' },
  { door: 'relprim/sqlite', source: 'lib/adapters/sqlite.ts', list: 'public-api.sqlite.txt' },
  { door: 'relprim/redis', source: 'lib/adapters/redis.ts', list: 'public-api.redis.txt' },
  { door: 'relprim/json-schema', source: 'lib/adapters/json-schema.ts', list: 'public-api.json-schema.txt' },
  { door: 'relprim/nestjs', source: 'nest-module/index.ts', list: 'public-api.nestjs.txt' },
  {
    door: 'relprim/nestjs/testing',
    source: 'nest-module/testing/index.ts',
    list: 'public-api.nestjs-testing.txt',
  },
];

const surfaces = surfacesOf(DOORS.map(({ source }) => source));

/** The lines of one list that the other has not, under the name that they belong to. */
function beyond(lines: readonly string[], others: readonly string[]): string[] {
  let name = '';
  const named = (line: string) => (line.startsWith(' ') ? `${name} › ${line.trim()}` : (name = line));
  const known = new Set(others.map(named));
  name = '';
  return lines.map(named).filter((line) => !known.has(line));
}

describe('the public surface', () => {
  it.each(DOORS)('of $door is what $list says', ({ source, list }) => {
    const lines = surfaces[DOORS.findIndex((door) => door.source === source)] ?? [];
    const listed = readFileSync(join(import.meta.dirname, list), 'utf8')
      .trimEnd()
      .split('\n');
    const news = beyond(lines, listed).map((line) => `+ ${line}`);
    const losses = beyond(listed, lines).map((line) => `- ${line}`);
    if (news.length + losses.length === 0) return;
    throw new Error(
      `${source} and test/public-surface/${list} differ. The list is kept by hand, so that nothing becomes public, or ` +
        `stops being so, by accident. If the change is meant, edit the list: add the lines with +, take out those with -, ` +
        `and tell users in CHANGELOG.md.\n${[...news, ...losses].join('\n')}`,
    );
  });

  it('is listed in order, and without paths', () => {
    for (const { list } of DOORS) {
      const text = readFileSync(join(import.meta.dirname, list), 'utf8');
      const names = [...text.matchAll(/^(?:abstract )?(?:class|interface|type|const|function) (\w+)/gm)].map(
        ([, name]) => name,
      );
      expect(names).toEqual([...names].sort());
      expect(text).not.toMatch(/import\(|node_modules/);
    }
  });
});
