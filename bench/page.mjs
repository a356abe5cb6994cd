// Tables, and where the page keeps them.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const page = fileURLToPath(new URL('../docs/performance.md', import.meta.url));

/** Rows of text as a table, the first column to the left and figures to the right. */
export function tableOf(head, rows) {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  );
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]));
  const line = (row) => `| ${row.map(pad).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** The table and what it was measured on; with `-- --write` it also replaces what stands between its two marks. */
export function show(table, mark) {
  const text = `${table}\n\nNode ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}.`;
  console.log(text);
  if (!process.argv.includes('--write')) return;
  const [before, after] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const old = readFileSync(page, 'utf8');
  const start = old.indexOf(before) + before.length;
  writeFileSync(page, `${old.slice(0, start)}\n\n${text}\n\n${old.slice(old.indexOf(after))}`);
}
