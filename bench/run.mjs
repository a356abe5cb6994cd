// `npm run bench` prints the figures of this Node. `-- --all-nodes` measures on Node 20, 22 and 24, `-- --nodes=20,24` on
// some of them; `-- --write` does it on all and keeps the tables and the chart in docs. `-- --only=refused` prints the
// subjects whose names match, `-- --quick` takes half the rounds, and `-- --again` shows or writes what was measured last.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { bundles as measureBundles } from './doors/bundle.mjs';
import { marksOf } from './marks.mjs';
import { figuresOfNode } from './node-figures.mjs';
import { chartOf } from './page/chart.mjs';
import { listOf, sectionsOf } from './page/sections.mjs';
import { writePage } from './page/write.mjs';
import { majors, ownMajor, root } from '../scripts/node-versions.mjs';

const last = path.join(root, '.build/bench.json');
const flags = process.argv.slice(2);
const has = (flag) => flags.includes(`--${flag}`);
const valueOf = (flag) => flags.find((one) => one.startsWith(`--${flag}=`))?.slice(flag.length + 3);

if (has('write') && valueOf('only') !== undefined)
  throw new Error('--write needs every subject: leave out --only');
const results = has('again') ? JSON.parse(readFileSync(last, 'utf8')) : await measure();
if (valueOf('only') !== undefined) console.log(`\n${listOf(results)}`);
else {
  const sections = sectionsOf(results);
  for (const [name, section] of Object.entries(sections)) console.log(`\n${name}\n\n${section}`);
  for (const { name, says, values } of marksOf(results))
    for (const { major, text, kept } of values)
      if (!kept) console.log(`missed on Node ${major}: ${name} is ${text}, the mark ${says}`);
  if (has('write')) await writePage(sections, chartOf(results));
}

async function measure() {
  const only = valueOf('only') && new RegExp(valueOf('only'));
  const bundles = await measureBundles();
  const nodes = {};
  for (const major of wantedNodes()) {
    const start = performance.now();
    nodes[major] = figuresOfNode(major, bundles, only);
    console.error(`Node ${major}: ${((performance.now() - start) / 60e3).toFixed(1)} minutes`);
  }
  const machine = `${cpus().length} × ${cpus()[0].model.trim()}`;
  const found = { date: new Date().toISOString().slice(0, 10), machine, bundles, nodes };
  if (only !== undefined) return found;
  mkdirSync(path.dirname(last), { recursive: true });
  writeFileSync(last, JSON.stringify(found));
  return found;
}

function wantedNodes() {
  const named = valueOf('nodes');
  if (named !== undefined) return named.split(',').map(Number);
  return has('write') || has('all-nodes') ? majors : [ownMajor];
}
