import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format } from 'node:util';
import { complaintsAbout, fencesOf, pages, read, ROOT, writeModules } from './fences.js';

const modules = writeModules(pages().flatMap(fencesOf));
const runs = modules.filter(({ words }) => words.includes('run'));

/** Runs a module and gives what it printed. */
async function printed(path: string): Promise<string> {
  const lines: string[] = [];
  jest.spyOn(console, 'log').mockImplementation((...parts: unknown[]) => void lines.push(format(...parts)));
  await import(path);
  return lines.join('\n');
}

/** The same text for runs that took different times. */
function timeless(text: string): string {
  return text.replaceAll(/<?\d+(\.\d+)? s\b/g, '… s');
}

/** A page without its code. */
function prose(page: string): string {
  return read(page).replaceAll(/^```[^]*?^```$/gm, '');
}

function pageOf(from: string, link: string): string {
  return link === '' ? from : join(dirname(from), link);
}

/** What its headings are called in addresses. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading as string);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

afterEach(() => void jest.restoreAllMocks());

describe('the documentation', () => {
  it('has only code that compiles', () => {
    expect(complaintsAbout(modules)).toEqual([]);
  });

  it.each(runs)('prints what it says it prints: $place', async ({ path, words, output }) => {
    const comparable = words.includes('roughly') ? timeless : (text: string) => text;
    expect(comparable(await printed(path))).toBe(comparable(output ?? 'a text fence must follow'));
  });

  it('has only links that lead somewhere', () => {
    const dead = pages().flatMap((page) => {
      const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(
        ([, link]) => link as string,
      );
      return links
        .filter((link) => !existsSync(join(ROOT, dirname(page), link)))
        .map((link) => `${page}: ${link}`);
    });
    expect(dead).toEqual([]);
  });

  it('has only links to headings that are there', () => {
    const dead = pages().flatMap((page) =>
      [...prose(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
        .filter(([, link, heading]) => !anchorsOf(pageOf(page, link as string)).has(heading as string))
        .map(([, link, heading]) => `${page}: ${link}#${heading}`),
    );
    expect(dead).toEqual([]);
  });
});
