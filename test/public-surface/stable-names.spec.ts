import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  errors,
  mcp,
  textsOfSources,
  wireKeysOfObjects,
  wireKeysOfTypes,
  type Sections,
} from './stable-names.js';

/** The list: a `# heading` for each section, and a line for each name. */
const LIST = 'test/public-surface/stable-names.txt';

function listed(): Sections {
  const text = readFileSync(join(import.meta.dirname, 'stable-names.txt'), 'utf8');
  const sections = text.split(/^# /m).slice(1);
  return Object.fromEntries(
    sections.map((section) => {
      const [heading = '', ...lines] = section.trim().split('\n');
      return [heading, lines.filter((line) => line !== '')];
    }),
  );
}

const list = listed();
const found: Sections = {
  ...wireKeysOfTypes(),
  ...wireKeysOfObjects(),
  ...errors(),
  ...textsOfSources(),
};
/** The server answers within a test only. */
const FOR_AGENTS = /agents|command/;

function differences(sections: Sections): readonly string[] {
  return Object.entries(sections).flatMap(([heading, lines]) => {
    const known = list[heading] ?? [];
    const news = lines.filter((line) => !known.includes(line)).map((line) => `+ ${line}`);
    const losses = known.filter((line) => !lines.includes(line)).map((line) => `- ${line}`);
    return news.length + losses.length === 0 ? [] : [`# ${heading}`, ...news, ...losses];
  });
}

function compare(sections: Sections): void {
  const lines = differences(sections);
  if (lines.length === 0) return;
  throw new Error(
    `${LIST} differs from what there is. These names are promised by docs/stability.md: one that is lost or renamed ` +
      `breaks dashboards, stored data and other processes, and waits for a major version. New ones are added to ` +
      `the list by hand.\n${lines.join('\n')}`,
  );
}

describe('the names that 1.x keeps', () => {
  it.each(Object.keys(found))('are those of the list: %s', (heading) => {
    compare({ [heading]: found[heading] as readonly string[] });
  });

  it('are those of the list: what agents see', async () => {
    compare(await mcp());
  });

  it('are listed under headings that are looked at, each line once', () => {
    const headings = Object.keys(list).filter((heading) => !FOR_AGENTS.test(heading));
    expect(headings.sort()).toEqual(Object.keys(found).sort());
    for (const lines of Object.values(list)) expect(new Set(lines).size).toBe(lines.length);
  });
});
