// `npm run bench` prints the table; with `-- --write` it also keeps it in docs/performance.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { measureCpu } from './measure.mjs';
import { subjects } from './subjects.mjs';

const YOUNG_GENERATION_MB = 256;
const BASE = 'await the bare method';
const page = fileURLToPath(new URL('../docs/performance.md', import.meta.url));

const cpu = await measureCpu(subjects);
const heap = heapInOwnProcess();
const table = tableOf(cpu, heap);
console.log(`${table}\n\n${machine()}`);
const missed = Object.entries(subjects).filter(
  ([name, { mark = Infinity }]) => cpu.get(name) / cpu.get(BASE) > mark,
);
for (const [name, { mark }] of missed) console.log(`above its mark of ${mark} ×: ${name}`);
if (process.argv.includes('--write')) keep(`${table}\n\n${machine()}`);
process.exit(0);

function heapInOwnProcess() {
  const space = ['max', 'min'].map((end) => `--${end}-semi-space-size=${YOUNG_GENERATION_MB}`);
  const script = fileURLToPath(new URL('./heap.mjs', import.meta.url));
  const output = execFileSync(process.execPath, ['--expose-gc', ...space, script], { encoding: 'utf8' });
  return new Map(JSON.parse(output));
}

function tableOf(cpu, heap) {
  const base = cpu.get(BASE);
  const rows = Object.entries(subjects).map(([name, { mark }]) => {
    const ns = cpu.get(name);
    return [
      name,
      ns.toFixed(0),
      (ns / base).toFixed(1),
      mark === undefined ? '' : `≤ ${mark}`,
      heap.get(name).toFixed(0),
    ];
  });
  const head = ['', 'CPU ns per call', '× bare await', 'mark', 'bytes per call'];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  );
  const line = (cells) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

function machine() {
  return `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}.`;
}

/** Replaces what stands between the two marks of the page. */
function keep(text) {
  const [before, after] = ['<!-- bench -->', '<!-- /bench -->'];
  const old = readFileSync(page, 'utf8');
  const start = old.indexOf(before) + before.length;
  writeFileSync(page, `${old.slice(0, start)}\n\n${text}\n\n${old.slice(old.indexOf(after))}`);
}
