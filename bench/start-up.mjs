// What decorated methods add to the start of a Nest application: `node bench/start-up.mjs`, after a build. Each start
// has a process of its own; applications with and without take turns, so that whatever disturbs the machine disturbs both.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { show, tableOf } from './page.mjs';

const METHODS = 1_000;
const ROUNDS = 9;
const MOST_ADDED_MS = 100;
const one = fileURLToPath(new URL('./start-up-one.mjs', import.meta.url));

const starts = { plain: [], decorated: [] };
for (let round = 0; round < ROUNDS; round += 1)
  for (const [kind, list] of Object.entries(starts)) list.push(startOf(kind));

const figures = (pick) => {
  const [plain, decorated] = Object.values(starts).map((list) => median(list.map(pick)));
  return { plain, decorated, added: decorated - plain };
};
const [wall, cpu] = [figures(({ started }) => started.wallMs), figures(({ started }) => started.cpuMs)];
const defined = figures((start) => start.defined.wallMs);
const rows = Object.entries({
  [`${METHODS} methods in plain classes`]: 'plain',
  'the same, decorated': 'decorated',
  added: 'added',
}).map(([title, key]) => [title, ...[wall, cpu, defined].map((figure) => figure[key].toFixed(1))]);
const perMethod = [wall, cpu, defined].map(({ added }) => ((added * 1e3) / METHODS).toFixed(0));

const head = ['', 'start ms', 'start CPU ms', 'class definitions ms'];
show(tableOf(head, [...rows, ['added per method, µs', ...perMethod]]), 'start-up');
if (wall.added > MOST_ADDED_MS) console.log(`above its mark of ${MOST_ADDED_MS} ms: start-up`);

function startOf(kind) {
  return JSON.parse(execFileSync(process.execPath, [one, kind, String(METHODS)], { encoding: 'utf8' }));
}

function median(samples) {
  return samples.sort((x, y) => x - y)[Math.floor(samples.length / 2)];
}
