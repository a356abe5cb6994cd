// Mutation tests: `npm run test:mutation -- lib/policies/circuit-breaker` changes one thing at a time in that folder, and
// tells which changes no test notices. `--again` tries only what was not killed the last time, `--tests=test/time` asks
// the tests of that folder alone, and `--every=6` tries one mutant of six.
// MUTATION_BUDGET: ms of tests that a mutant may live through before it is believed; MUTATION_SHELF: a folder in the
// project for a second run at the same time.
import path from 'node:path';
import { compiles } from './mutation/compiles.mjs';
import { copyFolder, makeCopy } from './mutation/copy.mjs';
import { Mutants } from './mutation/mutants.mjs';
import { Notes } from './mutation/notes.mjs';
import { tell } from './mutation/tell.mjs';
import { testFiles } from './mutation/test-files.mjs';

const args = process.argv.slice(2);
const folders = args.filter((arg) => !arg.startsWith('--'));
if (folders.length === 0) folders.push('lib');
const again = args.includes('--again');
const askedTests = args
  .find((arg) => arg.startsWith('--tests='))
  ?.slice('--tests='.length)
  .split(',');

const every = Number(args.find((arg) => arg.startsWith('--every='))?.slice('--every='.length) ?? 1);

const isWanted = (file) => folders.some((folder) => file === folder || file.startsWith(`${folder}/`));
const lives = ({ status }) => status === 'survived' || status === 'uncovered';

const all = await makeCopy((file) => file.startsWith('lib/') && isWanted(file));
const mutants = all.filter((_, at) => at % every === 0);
const files = (await testFiles(copyFolder)).filter(
  (file) => askedTests === undefined || askedTests.some((folder) => file.startsWith(folder)),
);
console.log(`${mutants.length} mutants, ${files.length} test files`);
const notes = await Notes.read(path.join(copyFolder, '../results.json'));
const run = new Mutants(files, notes);
await run.survey();

const outcomes = [];
for (const mutant of mutants) {
  const before = notes.outcomeOf(mutant);
  let outcome;
  if (mutant.status === 'Ignored') outcome = { status: 'ignored' };
  else if (again && before !== undefined && !lives(before)) outcome = before;
  else {
    outcome = await run.try(mutant);
    if (lives(outcome) && !compiles(mutant)) outcome = { status: 'refused' };
  }
  await notes.take(mutant, outcome);
  outcomes.push({ ...mutant, ...outcome });
  if (outcomes.length % 100 === 0) console.log(`${outcomes.length} of ${mutants.length}`);
}
run.end();
await notes.write();
await tell(outcomes);
process.exit();
