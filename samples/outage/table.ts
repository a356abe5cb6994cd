/** A table as text: the first column to the left, numbers to the right, a line below the header. */
export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [header, ...rows].map((row) => row.map(String));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) => {
    const padded = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    return padded.join('  ').trimEnd();
  });
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}
