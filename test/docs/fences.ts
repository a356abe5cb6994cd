import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/*
 * Code in documentation is a ```ts fence, and each fence is a module of its own:
 * - `ts`         must compile;
 * - `ts run`     must print the ```text fence that follows it;
 * - `roughly`    durations in the output may differ, as they are real;
 * - `more`       goes on where the last fence ended, in one module with it.
 * What readers need not see goes before the fence, in a comment that begins with `<!-- before`.
 */
export interface Fence {
  readonly page: string;
  /** Where the reader finds it: `README.md:12`. */
  readonly place: string;
  readonly words: readonly string[];
  /** The page with everything blanked that is not part of the module, so that lines keep their numbers. */
  readonly module: string;
  readonly output: string | undefined;
}

export const ROOT = join(import.meta.dirname, '../..');

export function pages(): readonly string[] {
  const docs = readdirSync(join(ROOT, 'docs'), { encoding: 'utf8', recursive: true }).filter((name) =>
    name.endsWith('.md'),
  );
  return ['README.md', ...docs.sort().map((name) => join('docs', name))];
}

export function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

interface Block {
  readonly info: string;
  readonly start: number;
  readonly end: number;
}

/** Fences and `before` comments, in order; `start` and `end` are the lines around the code. */
function* blocksOf(lines: readonly string[]): Generator<Block> {
  for (let start = 0; start < lines.length; start += 1) {
    const opening = /^(```|<!-- )([a-z].*)$/.exec(lines[start] as string);
    if (opening === null) continue;
    const closing = opening[1] === '```' ? '```' : '-->';
    const end = lines.indexOf(closing, start + 1);
    if (end < 0) continue; // a comment of one line
    yield { info: opening[2] as string, start, end };
    start = end;
  }
}

export function fencesOf(page: string): readonly Fence[] {
  const lines = read(page).split('\n');
  const blocks = [...blocksOf(lines)];
  let kept: string[] = [];
  return blocks.flatMap(({ info, start, end }, index) => {
    const [language, ...words] = info.split(' ');
    if (language !== 'ts') return [];
    const before = blocks[index - 1];
    if (!words.includes('more')) kept = lines.map(() => '');
    for (const block of [before?.info === 'before' ? before : undefined, { start, end }]) {
      for (let at = (block?.start ?? 0) + 1; at < (block?.end ?? 0); at += 1) kept[at] = lines[at] as string;
    }
    const after = blocks[index + 1];
    const output = after?.info === 'text' ? lines.slice(after.start + 1, after.end).join('\n') : undefined;
    return { page, place: `${page}:${start + 1}`, words, module: kept.join('\n'), output };
  });
}

export interface Module extends Fence {
  readonly path: string;
}

/** Writes each fence as a module, where it finds the packages of the repository; each test has a folder of its own. */
export function writeModules(fences: readonly Fence[], name = 'docs'): readonly Module[] {
  const folder = join(ROOT, '.build', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return fences.map((fence) => {
    const path = join(folder, `${fence.place.replaceAll(/\W/g, '-')}.ts`);
    writeFileSync(path, `${fence.module}\nexport {};\n`);
    return { ...fence, path };
  });
}

/** The compiler's complaints about modules, with the settings of the repository and the place in the page. */
export function complaintsAbout(modules: readonly Module[]): readonly string[] {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.json'), { types: ['node'] }, host);
  const paths = modules.map(({ path }) => path);
  const program = ts.createProgram(paths, config?.options ?? {});
  return modules.flatMap(({ path, page }) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ start = 0, messageText }) => {
        const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
        return `${page}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
      },
    );
  });
}
