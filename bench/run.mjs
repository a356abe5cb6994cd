// `npm run bench` prints the table; with `-- --write` it also keeps it in docs/performance.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { subjects } from './subjects.mjs';

const page = fileURLToPath(new URL('../docs/performance.md', import.meta.url));
const one = fileURLToPath(new URL('./one.mjs', import.meta.url));
/** A young generation that no run can fill: nothing is collected while allocations are counted. */
const ROOMY = ['--max-semi-space-size=256', '--min-semi-space-size=256'];

const rows = Object.entries(subjects).map(([name, { mark }]) => {
  const { bareNs, ns } = measure('cpu', name);
  return { name, ns, ratio: ns / bareNs, mark, bytes: measure('heap', name, ROOMY) };
});
const text = `${tableOf(rows)}\n\nNode ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}.`;
console.log(text);
for (const { name, ratio, mark } of rows)
  if (ratio > mark) console.log(`above its mark of ${mark} ×: ${name}`);
if (process.argv.includes('--write')) keep(text);
process.exit(0);

function measure(what, name, flags = []) {
  return JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', ...flags, one, what, name], { encoding: 'utf8' }),
  );
}

function tableOf(measured) {
  const head = ['', 'CPU ns per call', '× bare await', 'mark', 'bytes per call'];
  const cells = measured.map(({ name, ns, ratio, mark, bytes }) => {
    return [name, ns.toFixed(0), ratio.toFixed(1), mark === undefined ? '' : `≤ ${mark}`, bytes.toFixed(0)];
  });
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column].length)),
  );
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]));
  const line = (row) => `| ${row.map(pad).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...cells.map(line)].join('\n');
}

/** Replaces what stands between the two marks of the page. */
function keep(table) {
  const [before, after] = ['<!-- bench -->', '<!-- /bench -->'];
  const old = readFileSync(page, 'utf8');
  const start = old.indexOf(before) + before.length;
  writeFileSync(page, `${old.slice(0, start)}\n\n${table}\n\n${old.slice(old.indexOf(after))}`);
}
