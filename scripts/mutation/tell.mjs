import { readFile } from 'node:fs/promises';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

function scoreOf(outcomes) {
  const count = (status) => outcomes.filter((outcome) => outcome.status === status).length;
  const [killed, late, survived, uncovered] = ['killed', 'late', 'survived', 'uncovered'].map(count);
  const all = killed + late + survived + uncovered;
  const score = all === 0 ? 100 : (100 * (killed + late)) / all;
  return { killed, late, survived, uncovered, refused: count('refused'), ignored: count('ignored'), score };
}

const rowOf = (name, { score, killed, late, survived, uncovered, refused, ignored }) =>
  `${name.padEnd(58)} ${score.toFixed(1).padStart(6)} % ${[killed, late, survived, uncovered, refused, ignored].map((n) => String(n).padStart(6)).join('')}`;

/** Prints each mutant that lives, then the score of each file and folder. */
export async function tell(outcomes) {
  const files = new Map();
  for (const outcome of outcomes) {
    if (!files.has(outcome.file)) files.set(outcome.file, []);
    files.get(outcome.file).push(outcome);
  }
  for (const [file, list] of files) {
    const lines = (await readFile(path.join(root, file), 'utf8')).split('\n');
    for (const { status, location, mutatorName, replacement } of list) {
      if (status !== 'survived' && status !== 'uncovered') continue;
      const { start, end } = location;
      const last =
        start.line === end.line
          ? lines[end.line].slice(start.column, end.column)
          : `${lines[start.line].slice(start.column)} …`;
      console.log(
        `\n${file}:${start.line + 1}:${start.column + 1} ${status} ${mutatorName}\n  ${lines[start.line].trim()}`,
      );
      console.log(`  ${last} => ${replacement.replace(/\s+/g, ' ').slice(0, 160)}`);
    }
  }
  console.log(`\n${'file'.padEnd(58)}   score   killed  late  alive  none refused ignored`);
  for (const [file, list] of files) console.log(rowOf(file, scoreOf(list)));
  const folders = new Set([...files.keys()].map((file) => path.dirname(file)));
  for (const folder of folders) {
    console.log(rowOf(`${folder}/`, scoreOf(outcomes.filter(({ file }) => file.startsWith(`${folder}/`)))));
  }
  console.log(rowOf('all', scoreOf(outcomes)));
}
