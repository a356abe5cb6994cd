// `npm run bench` prints the tables; with `-- --write` it also keeps them in docs/performance.md.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { show, tableOf } from './page.mjs';
import { subjects } from './subjects.mjs';

const one = fileURLToPath(new URL('./one.mjs', import.meta.url));
/** A young generation that no run can fill: nothing is collected while allocations are counted. */
const ROOMY = ['--max-semi-space-size=256', '--min-semi-space-size=256'];

const rows = Object.entries(subjects).map(([name, { mark, over, moreNs }]) => {
  const { bareNs, ns } = measure('cpu', name);
  return { name, ns, ratio: ns / bareNs, mark, over, moreNs, bytes: measure('heap', name, ROOMY) };
});
const head = ['', 'CPU ns per call', '× bare await', 'mark', 'bytes per call'];
const cells = rows.map(({ name, ns, ratio, mark, bytes }) => {
  return [name, ns.toFixed(0), ratio.toFixed(1), mark === undefined ? '' : `≤ ${mark}`, bytes.toFixed(0)];
});
show(tableOf(head, cells), 'bench');
for (const { name, ratio, mark } of rows)
  if (ratio > mark) console.log(`above its mark of ${mark} ×: ${name}`);
const nsOf = (wanted) => rows.find(({ name }) => name === wanted).ns;
const more = rows.flatMap(({ name, ns, over, moreNs }) =>
  over === undefined
    ? []
    : [[name, over, (ns - nsOf(over)).toFixed(0), moreNs === undefined ? '' : `≤ ${moreNs}`]],
);
show(tableOf(['', 'beside', 'CPU ns more', 'mark'], more), 'more');
for (const { name, ns, over, moreNs } of rows)
  if (ns - nsOf(over ?? name) > moreNs) console.log(`above its mark of ${moreNs} ns more: ${name}`);
await import('./start-up.mjs');
process.exit(0);

function measure(what, name, flags = []) {
  return JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', ...flags, one, what, name], { encoding: 'utf8' }),
  );
}
