import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../../scripts/node-versions.mjs';

const page = path.join(root, 'docs/performance.md');
const image = path.join(root, 'docs/images/performance.svg');

/** Replaces what stands between the two marks of each section, and the chart. */
export async function writePage(sections, chart) {
  let text = readFileSync(page, 'utf8');
  for (const [name, section] of Object.entries(sections)) {
    const [before, after] = [`<!-- bench: ${name} -->`, `<!-- /bench: ${name} -->`];
    const [start, end] = [text.indexOf(before), text.indexOf(after)];
    if (start < 0 || end < start) throw new Error(`docs/performance.md has no section ${before} … ${after}`);
    text = `${text.slice(0, start + before.length)}\n\n${section}\n\n${text.slice(end)}`;
  }
  const config = await resolveConfig(page);
  writeFileSync(page, await format(text, { ...config, filepath: page }));
  writeFileSync(image, chart);
}
