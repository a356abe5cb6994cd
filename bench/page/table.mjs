/** Rows of text as a table, the first column to the left and figures to the right. */
export function tableOf(head, rows) {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column].length)),
  );
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]));
  const line = (row) => `| ${row.map(pad).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

export function nanoseconds(ns) {
  return ns === undefined ? '–' : Math.round(ns).toLocaleString('en');
}

export function ratio(value) {
  return value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

/** One text for all Nodes: `1,340 / 1,310 / 1,220`. */
export function each(values) {
  return values.map(nanoseconds).join(' / ');
}
