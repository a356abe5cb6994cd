import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { CLIENT, CLIENT_SOURCE, STYLE } from '../../nest-module/dashboard/page/page.js';

/** The compiler's complaints about the script of the page, whose types are in its comments. */
function complaints(): readonly string[] {
  const folder = join(import.meta.dirname, '../../.build/dashboard');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'page.js');
  writeFileSync(file, CLIENT_SOURCE);
  const program = ts.createProgram([file], {
    allowJs: true,
    checkJs: true,
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
  });
  return ts.getPreEmitDiagnostics(program).map(({ file: source, start = 0, messageText }) => {
    const line = source?.text.slice(0, start).split('\n').length ?? 0;
    return `${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

describe('the script of the page', () => {
  it('is correct by its types', () => {
    expect(complaints()).toEqual([]);
  });

  it('never makes code or markup of a text, and can stand in a page', () => {
    expect(CLIENT).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|<\/script/i,
    );
    expect(STYLE).not.toMatch(/<\/style|@import|url\(/i);
  });

  it('is small', () => {
    expect(CLIENT.length + STYLE.length).toBeLessThan(44_000);
  });
});
