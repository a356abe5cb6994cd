import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import ts from 'typescript';

/*
 * The end of a process, and what is left in its memory, can only be seen from outside or in a process of its own: so
 * the library is compiled and run in a child.
 */

const root = path.resolve(import.meta.dirname, '../..');

export interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], env?: NodeJS.ProcessEnv, timeout = 60_000): Promise<Ended> {
  return new Promise((resolve) => {
    // A process that does not end is ended, and has no exit code.
    execFile(
      process.execPath,
      args,
      { timeout, env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : error.code, stdout, stderr });
      },
    );
  });
}

export interface ModuleOptions {
  readonly flags?: readonly string[];
  readonly args?: readonly string[];
  /** Beside the variables of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** When it is ended where it does not end. Default a minute. */
  readonly timeoutMs?: number;
  /** Modules of the repository that it imports, or starts as processes. */
  readonly beside?: readonly string[];
}

/** Makes a folder the package, so that what is in it finds the doors there by their names, as anybody does. */
async function packageOfFolder(): Promise<string> {
  const text = await readFile(path.join(root, 'package.json'), 'utf8');
  const { name, version, type, exports } = JSON.parse(text.replaceAll('./dist/esm/', './')) as Package;
  return JSON.stringify({ name, version, type, exports });
}

type Package = Readonly<Record<'name' | 'version' | 'type' | 'exports', unknown>>;

/** Puts the compiled library into a folder of a file's tests, which goes with them. */
export function childProcesses(name: string) {
  let folder = '';
  jest.setTimeout(70_000);

  beforeAll(async () => {
    // Seconds where it has not been compiled yet; on a machine that is busy with much else, minutes.
    const compiled = await run([path.join(root, 'scripts/compile-for-children.mjs')], undefined, 280_000);
    expect(compiled).toMatchObject({ code: 0, stderr: '' });
    folder = await mkdtemp(path.join(root, `.build/${name}-`));
    await cp(compiled.stdout, folder, { recursive: true });
    await writeFile(path.join(folder, 'package.json'), await packageOfFolder());
  }, 300_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** A module of the tests as JavaScript, beside the built library. */
  async function compiled(source: string): Promise<string> {
    const file = path.join(folder, source.replace(/\.ts$/, '.js'));
    const { outputText } = ts.transpileModule(await readFile(path.join(root, source), 'utf8'), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2022,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
      },
    });
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, outputText);
    return file;
  }

  return {
    /** Where a file of the built library is. */
    built: (file: string): string => path.join(folder, file),

    /** Runs a script that sees the library as `relprim`, in a process of its own. */
    async runScript(title: string, script: string): Promise<Ended> {
      const file = path.join(folder, `${title}.mjs`);
      const door = pathToFileURL(path.join(folder, 'lib/index.js')).href;
      await writeFile(file, `import * as relprim from '${door}';\n${script}`);
      return run([file]);
    },

    /** Runs a module of the tests, which imports the library as tests do, in a process of its own. */
    async runModule(
      source: string,
      { flags = [], args = [], beside = [], env, timeoutMs }: ModuleOptions = {},
    ): Promise<Ended> {
      for (const other of beside) await compiled(other);
      return run([...flags, await compiled(source), ...args], env, timeoutMs);
    },

    /** Starts such a module and leaves it to the test. */
    async startModule(source: string): Promise<ChildProcess> {
      return spawn(process.execPath, [await compiled(source)], { stdio: ['ignore', 'pipe', 'pipe'] });
    },
  };
}
