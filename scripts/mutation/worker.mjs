// A process that has loaded the copy's tests, and runs those it is told under the mutant it is told.
// With MUTATION_MUTANT in its environment the mutant is there before the modules are loaded.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadTests, tests } from './jest-globals.mjs';
import { runTest } from './run-test.mjs';

const stryker = (globalThis.__stryker__ = { activeMutant: process.env.MUTATION_MUTANT });
const { performance } = globalThis;
/** ms of the processor */
const SLOW = 1_000;
const say = (message) => process.send(message);
const byId = new Map();

async function load({ folder, files }) {
  const broken = [];
  for (const file of files) {
    try {
      await loadTests(file, pathToFileURL(path.join(folder, file)).href);
    } catch (error) {
      broken.push({ file, error: String(error) });
    }
  }
  for (const test of tests) byId.set(test.id, test);
  say({ type: 'loaded', broken, tests: tests.map(({ id }) => id) });
}

/** What each test reaches, and how it goes: `slow` when it takes too long to be asked often. */
async function survey({ slow }) {
  const coverage = {};
  const known = new Set(slow);
  const loadedWith = Object.keys(stryker.mutantCoverage?.static ?? {});
  for (const test of tests.filter(({ id }) => !known.has(id))) {
    stryker.currentTestId = test.id;
    const { status, error, ms, wallMs } = await runTest(test, 20_000);
    coverage[test.id] = {
      status: ms > SLOW ? 'slow' : status,
      ms,
      wallMs,
      hits: stryker.mutantCoverage?.perTest[test.id] ?? {},
      error: error && String(error.message ?? error),
    };
    say({ type: 'alive', after: test.id });
  }
  say({ type: 'surveyed', coverage, loadedWith });
}

async function tryMutant({ mutant, order, isStatic }) {
  let heard = performance.now();
  for (const { id, limit, hits } of order) {
    if (performance.now() - heard > 500) {
      say({ type: 'alive' });
      heard = performance.now();
    }
    const test = byId.get(id);
    if (test === undefined) continue;
    stryker.activeMutant = mutant;
    stryker.currentTestId = 'mutated';
    [stryker.hitCount, stryker.hitLimit] = [0, hits];
    let { status } = await runTest(test, limit);
    // On a busy machine many a test is late once.
    if (status === 'late') ({ status } = await runTest(test, limit * 2));
    const looped = stryker.hitCount > hits;
    if (!isStatic) stryker.activeMutant = undefined;
    stryker.hitCount = undefined;
    if (status === 'passed' && !looped) continue;
    // What a mutant leaves behind must not kill the next one.
    const clean = isStatic || (await runTest(test, limit)).status === 'passed';
    return say({ type: 'tried', status: status === 'late' || looped ? 'late' : 'killed', killer: id, clean });
  }
  say({ type: 'tried', status: 'survived', clean: true });
}

const jobs = { load, survey, try: tryMutant };
process.on('message', (message) => void jobs[message.type](message));
process.on('disconnect', () => process.exit());
