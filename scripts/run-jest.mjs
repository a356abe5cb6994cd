// Runs jest, and once more, alone, what failed beside everything else: a test of real time may miss its mark on a busy
// machine. What passes alone is said, loudly; what fails twice has failed.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/**
 * Gives the counts of `files` (all, where there are none), under a Node and with an environment. `quiet` shows nothing
 * while it runs.
 */
export async function runJest({ node = process.execPath, files = [], env = {}, quiet = false } = {}) {
  const first = await run(node, [...files, '--maxWorkers=100%'], env, quiet);
  const failed = first.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  if (failed.length === 0) return countsOf([first]);
  report('failed', first);
  const again = await run(node, ['--runTestsByPath', ...failed, '--maxWorkers=1'], env, quiet);
  report('failed again, alone', again);
  const failedAgain = new Set(
    again.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name),
  );
  for (const name of failed)
    if (!failedAgain.has(name))
      console.log(`UNSTEADY: ${path.relative(root, name)} failed among others and passed alone`);
  const steady = first.testResults.filter(({ name }) => !failed.includes(name));
  return countsOf([{ testResults: steady }, again]);
}

async function run(node, args, env, quiet) {
  const folder = await mkdtemp(path.join(tmpdir(), 'relprim-jest-'));
  const output = path.join(folder, 'results.json');
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  const all = ['--experimental-vm-modules', jest, ...args, '--json', `--outputFile=${output}`];
  try {
    const child = spawn(node, all, {
      cwd: root,
      env: { ...process.env, ...env },
      // With --json the results go to stdout, too.
      stdio: ['ignore', 'ignore', quiet ? 'ignore' : 'inherit'],
    });
    await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
    return JSON.parse(await readFile(output, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A file that did not even start is one failure, and so is a run without any test. */
function countsOf(runs) {
  const files = runs.flatMap(({ testResults }) => testResults);
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const count = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length;
  const broken = files.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  return {
    passed: count('passed'),
    failed: count('failed') + broken.length + (tests.length === 0 ? 1 : 0),
    skipped: count('pending', 'todo', 'skipped', 'disabled'),
  };
}

function report(what, { testResults }) {
  for (const { name, status, message, assertionResults } of testResults) {
    if (status !== 'failed') continue;
    const titles = assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName }) => fullName);
    console.log(`-- ${what}: ${path.relative(root, name)}`);
    for (const title of titles) console.log(`   ${title}`);
    console.log(message.slice(0, 4_000));
  }
}

if (process.argv[1] === import.meta.filename) {
  const { passed, failed, skipped } = await runJest({ files: process.argv.slice(2) });
  if (skipped > 0) console.log(`${skipped} skipped: none is allowed here`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || skipped > 0 ? 1 : 0;
}
