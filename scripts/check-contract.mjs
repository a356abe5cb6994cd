// Compares the promises of test/contract.json with the [R57] and [S57] marks in test titles, in both directions.
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';

const tests = path.resolve(import.meta.dirname, '../test');
const contract = JSON.parse(await readFile(path.join(tests, 'contract.json'), 'utf8'));
const promised = new Map(Object.values(contract.behaviours).flatMap(Object.entries));
const notHere = contract['not-here'];

/** `it('…')`, `test.each(table)('…')`, `describe('…')`: the text of the first argument. Comments and data do not count. */
function titlesOf(source) {
  const titles = [];
  (function visit(node) {
    if (ts.isCallExpression(node) && /^(it|test|describe)\b/.test(node.expression.getText(source))) {
      const [title] = node.arguments;
      if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
        titles.push(title.getText(source));
    }
    ts.forEachChild(node, visit);
  })(source);
  return titles;
}

/** Every bracket that begins like a mark, so that a misspelt one is a complaint and not silence. */
function marksOf(title) {
  return [...title.matchAll(/\[([BRS]\d[^\]]*)\]/g)].flatMap(([, list]) =>
    list.split(',').map((mark) => mark.trim()),
  );
}

const tested = new Set();
const complaints = [];
const files = (await readdir(tests, { recursive: true }))
  .filter((file) => /\.(spec|tst)\.ts$/.test(file))
  .sort();
for (const file of files) {
  const text = await readFile(path.join(tests, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  for (const mark of titlesOf(source).flatMap(marksOf)) {
    // Numbers of public reports stand beside them.
    if (/^B\d+$/.test(mark)) continue;
    if (!/^[RS]\d+$/.test(mark))
      complaints.push(`test/${file}: [${mark}] is no mark: write [R57] or [R57, S58], no ranges`);
    else if (!promised.has(mark)) complaints.push(`test/${file}: ${mark} is not in test/contract.json`);
    else if (mark in notHere)
      complaints.push(`test/${file}: ${mark} is tested, yet marked not-here (${notHere[mark]})`);
    tested.add(mark);
  }
}
for (const mark of Object.keys(notHere)) {
  if (!promised.has(mark))
    complaints.push(`test/contract.json: not-here names ${mark}, which is not among the behaviours`);
}
const open = [...promised].filter(([mark]) => !(mark in notHere));
const missing = open.filter(([mark]) => !tested.has(mark));
for (const [mark, title] of missing) complaints.push(`${mark} has no test: ${title}`);

for (const complaint of complaints) console.error(complaint);
console.log(
  `contract: ${open.length - missing.length} of ${open.length} behaviours tested, ${Object.keys(notHere).length} not here`,
);
if (complaints.length > 0) process.exitCode = 1;
