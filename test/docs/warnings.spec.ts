import { describe, expect, it } from '@jest/globals';
import { Injectable, type Provider, type Type } from '@nestjs/common';
import { WARNING_CODES } from '../../nest-module/start-up/warning-codes.js';
import { warningsOf } from '../nest/configuration-support.js';
import { fencesOf, pages, read, writeModules } from './fences.js';

const FOLDER = 'docs/warnings/';
const pageOf = (code: string): string => `${FOLDER}${code}.md`;

describe('the pages on warnings', () => {
  it('are one for each code, and an index', () => {
    const there = pages().filter((page) => page.startsWith(FOLDER));
    expect(there).toEqual([`${FOLDER}README.md`, ...WARNING_CODES.map(pageOf)].sort());
  });

  it('are listed in the index, in the order in which they are said', () => {
    const listed = [...read(`${FOLDER}README.md`).matchAll(/^\| \[([a-z-]+)\]\(\1\.md\)/gm)];
    expect(listed.map(([, code]) => code)).toEqual([...WARNING_CODES]);
  });

  it.each(WARNING_CODES)('say what it is, the cure, and how to silence it: %s', (code) => {
    const text = read(pageOf(code));
    expect(text).toMatch(new RegExp(`^# ${code}\n\n[A-Z]`));
    expect(text).toContain('\n**Cure.** ');
    expect(text).toContain(`silenceWarnings: ['${code}']`);
  });
});

describe('the example of a page is warned of,', () => {
  const modules = writeModules(
    WARNING_CODES.flatMap((code) => fencesOf(pageOf(code))),
    'warnings',
  );

  it.each(WARNING_CODES)('and of nothing else: %s', async (code) => {
    const found = modules.filter(({ page }) => page === pageOf(code));
    expect(found).toHaveLength(1);
    const classes = Object.values((await import(found[0]?.path as string)) as Record<string, Type>);
    const [first] = classes;
    // One module cannot have two classes of one name.
    const another = code === 'duplicate-operation-name' ? [namesake(first as Type)] : [];
    const warnings = await warningsOf({ providers: [...classes, ...another] });
    expect(warnings.map(([, said]) => said)).toEqual([code]);
  });

  it('with the text that the index shows', async () => {
    const [page] = modules.filter(({ page: of }) => of === pageOf('duration-in-milliseconds'));
    const classes = Object.values((await import(page?.path as string)) as Record<string, Type>);
    const [[text, code] = []] = await warningsOf({ providers: classes });
    expect(read(`${FOLDER}README.md`)).toContain(`${text} [${code}: docs/warnings/${code}.md]\n`);
  });
});

function namesake(type: Type): Provider {
  @Injectable()
  class Namesake extends type {}
  Object.defineProperty(Namesake, 'name', { value: type.name });
  return { provide: 'namesake', useClass: Namesake };
}
