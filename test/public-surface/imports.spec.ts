import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import ts from 'typescript';

const LIB = join(import.meta.dirname, '../../lib');

/** The packages that a source reaches when it is loaded; types are gone by then. */
function packagesBehind(source: string): Set<string> {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const options = {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
    };
    const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), { compilerOptions: options });
    for (const { fileName } of ts.preProcessFile(outputText).importedFiles) {
      if (fileName.startsWith('.')) visit(resolve(dirname(file), fileName.replace(/\.js$/, '.ts')));
      else packages.add(fileName);
    }
  };
  visit(source);
  return packages;
}

it('the core loads nothing but Node itself, whatever else is installed [R283]', () => {
  const packages = [...packagesBehind(join(LIB, 'index.ts'))];
  expect(packages.filter((name) => !name.startsWith('node:'))).toEqual([]);
  expect(packages).toContain('node:async_hooks');
});

it('the store of events loads its driver only when it is used', () => {
  const packages = [...packagesBehind(join(LIB, 'adapters/sqlite.ts'))];
  expect(packages.filter((name) => !name.startsWith('node:'))).toEqual([]);
});
