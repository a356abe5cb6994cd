// A compiled copy of lib/ and test/, in which every mutant of the folders asked for sleeps behind a switch.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { install, root } from '../node-versions.mjs';

const shelf = path.join(root, process.env.MUTATION_SHELF ?? '.matrix/mutation');
export const copyFolder = path.join(shelf, 'copy');
const kept = path.join(shelf, 'compiled');
/** Raised when what is compiled out of the same source changes. */
const FORMAT = '1';

const jestGlobals = pathToFileURL(path.join(import.meta.dirname, 'jest-globals.mjs')).href;
const compilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  isolatedModules: true,
  useDefineForClassFields: false,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
};
const silent = { isDebugEnabled: () => false, debug() {}, info() {}, warn: console.warn };

async function loadInstrumenter() {
  const folder = install('stryker', { '@stryker-mutator/instrumenter': '9.6.1' });
  const found = createRequire(path.join(folder, 'package.json')).resolve('@stryker-mutator/instrumenter');
  const { Instrumenter } = await import(pathToFileURL(found).href);
  return new Instrumenter(silent);
}

/** The numbers of Stryker begin anew in each file: with the file's name they are names of the whole copy. */
function nameMutants(code, file) {
  return code.replace(/stry(?:MutAct|Cov)_9fa48\(("\d+"(?:, "\d+")*)\)/g, (call, ids) =>
    call.replace(
      ids,
      ids.replace(/"(\d+)"/g, (_, id) => JSON.stringify(`${file}#${id}`)),
    ),
  );
}

async function instrument(instrumenter, file, source) {
  const { files, mutants } = await instrumenter.instrument([{ name: file, mutate: true, content: source }], {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
  });
  return {
    source: nameMutants(files[0].content, file),
    mutants: mutants.map(({ id, location, mutatorName, replacement, status, statusReason }) => {
      return { id: `${file}#${id}`, file, location, mutatorName, replacement, status, statusReason };
    }),
  };
}

function compile(file, source) {
  const { outputText } = ts.transpileModule(source, { compilerOptions, fileName: file });
  return outputText.replace(/(from |import\()(['"])@jest\/globals\2/g, `$1'${jestGlobals}'`);
}

async function sources() {
  const lists = await Promise.all(
    ['lib', 'nest-module', 'test'].map(async (folder) => {
      const files = await readdir(path.join(root, folder), { recursive: true });
      return files.filter((file) => file.endsWith('.ts')).map((file) => path.posix.join(folder, file));
    }),
  );
  return lists.flat().filter((file) => !/^test\/(consumers|types|tc39)\//.test(file));
}

/** Writes the copy; `isMutated` says of which files the mutants are wanted. Gives the mutants. */
export async function makeCopy(isMutated) {
  await rm(copyFolder, { recursive: true, force: true });
  await mkdir(kept, { recursive: true });
  let instrumenter;
  const mutants = [];
  for (const file of await sources()) {
    const source = await readFile(path.join(root, file), 'utf8');
    const mutated = isMutated(file);
    const hash = createHash('sha1').update(`${FORMAT} ${mutated} ${file}\n${source}`).digest('hex');
    const place = path.join(kept, `${hash}.json`);
    let made;
    if (existsSync(place)) made = JSON.parse(await readFile(place, 'utf8'));
    else {
      if (mutated) instrumenter ??= await loadInstrumenter();
      const instrumented = mutated ? await instrument(instrumenter, file, source) : { source, mutants: [] };
      made = { code: compile(file, instrumented.source), mutants: instrumented.mutants };
      await writeFile(place, JSON.stringify(made));
    }
    mutants.push(...made.mutants.map((mutant) => ({ ...mutant, hash })));
    const target = path.join(copyFolder, file.replace(/\.ts$/, '.js'));
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, made.code);
  }
  return mutants;
}
