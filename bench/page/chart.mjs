// The picture of the page, drawn by hand: bars to scale, readable in light and dark.
import { libraryNames, RELPRIM, versionsOf } from '../libraries/index.mjs';
import { missing, TOGETHER } from '../subjects/scenarios.mjs';
import { nearest } from './sections.mjs';

const WIDTH = 860;
const LEFT = 190;
const RIGHT = 120;
const BAR = 11;
const GAP = 3;
const GROUP_GAP = 14;

const STYLE = `
  text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328; }
  .title { font-size: 16px; font-weight: 600; }
  .small { font-size: 11.5px; fill: #59636e; }
  .value { font-size: 11.5px; }
  .own { font-weight: 600; }
  .axis { stroke: #d1d9e0; stroke-width: 1; }
  .bar { fill: #8c959f; }
  .bar.own { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .small { fill: #9198a1; }
    .axis { stroke: #3d444d; }
    .bar { fill: #6e7681; }
    .bar.own { fill: #4493f8; }
  }`;

/** The oldest Node is the lightest. */
const SHADES = [0.5, 0.75, 1];

export function chartOf(results) {
  const nodes = Object.entries(results.nodes);
  const [newestMajor, newest] = nodes.at(-1);
  const names = libraryNames.slice(1);
  const cpu = {
    title: 'CPU time of one call that succeeds, in microseconds',
    subtitle: `retry + timeout + breaker around a function that resolves at once; × is how many bare awaits that is`,
    legend: nodes.map(([major], index) => ({ label: `Node ${major}`, shade: shadeOf(index, nodes.length) })),
    groups: names.map((name) => ({
      name,
      note: lackOf(name),
      bars: nodes.map(([, { subjects }], index) => {
        const { ns, ratio } = subjects[`${name}: ${nearest(name)}`] ?? {};
        return {
          value: ns && ns / 1e3,
          shade: shadeOf(index, nodes.length),
          text: () => micro(ns, ratio, nodes.length > 1 ? '' : lackOf(name)),
        };
      }),
    })),
  };
  const held = {
    title: 'Memory held by one call that waits, in kilobytes',
    subtitle: `10,000 calls in flight, Node ${newestMajor}; the promise of the function itself is ${kilo(newest.pending['bare await'])} of it`,
    groups: names.map((name) => {
      const value = newest.pending[name] && newest.pending[name] / 1e3;
      return {
        name,
        note: '',
        bars: [{ value, shade: 1, text: () => [kilo(value * 1e3), lackOf(name)].filter(Boolean).join(', ') }],
      };
    }),
  };
  const parts = [];
  let y = 26;
  for (const panel of [cpu, held]) {
    const drawn = drawPanel(panel, y);
    parts.push(drawn.svg);
    y = drawn.end + 34;
  }
  const versions = nodes.map(([, { version }]) => version).join(', ');
  parts.push(
    text(
      20,
      y - 8,
      'small',
      `Node ${versions} · ${results.machine} · medians, ${results.date} · npm run bench`,
    ),
  );
  const peers = versionsOf(nodes.map(([, node]) => node.peers));
  parts.push(text(20, y + 10, 'small', peers));
  y += 18;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 6}" width="${WIDTH}" height="${y + 6}" role="img" aria-labelledby="t">
<title id="t">${cpu.title}: relprim beside other libraries</title>
<style>${STYLE}
</style>
${parts.join('\n')}
</svg>
`;
}

function drawPanel({ title, subtitle, legend = [], groups }, top) {
  const sorted = groups
    .map((group) => ({ ...group, bars: group.bars.filter(({ value }) => value !== undefined) }))
    .filter(({ bars }) => bars.length > 0)
    .toSorted((one, other) => one.bars.at(-1).value - other.bars.at(-1).value);
  const most = Math.max(...sorted.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const scale = (WIDTH - LEFT - RIGHT) / most;
  const svg = [text(20, top, 'title', title), text(20, top + 19, 'small', subtitle)];
  legend.forEach(({ label, shade }, index) => {
    const x = WIDTH - 80 * (legend.length - index);
    svg.push(
      `<rect class="bar" x="${x}" y="${top - 10}" width="${BAR}" height="${BAR}" opacity="${shade}"/>`,
    );
    svg.push(text(x + BAR + 5, top, 'small', label));
  });
  let y = top + 36;
  const axisTop = y - 4;
  for (const { name, note, bars } of sorted) {
    const own = name === RELPRIM ? ' own' : '';
    const height = bars.length * (BAR + GAP) - GAP;
    const middle = y + height / 2 + 4.5;
    const two = note !== '' && bars.length > 1;
    svg.push(text(LEFT - 10, two ? middle - 7 : middle, `name${own}`, name, 'end'));
    if (two) svg.push(text(LEFT - 10, middle + 8, 'small', note, 'end'));
    for (const { value, shade, text: label } of bars) {
      const width = Math.max(1, value * scale).toFixed(1);
      svg.push(
        `<rect class="bar${own}" x="${LEFT}" y="${y}" width="${width}" height="${BAR}" opacity="${shade}"/>`,
        text(LEFT + Number(width) + 6, y + BAR - 1.5, `value${own}`, label()),
      );
      y += BAR + GAP;
    }
    y += GROUP_GAP - GAP;
  }
  svg.push(`<line class="axis" x1="${LEFT}" x2="${LEFT}" y1="${axisTop}" y2="${y - GROUP_GAP + 4}"/>`);
  return { svg: svg.join('\n'), end: y };
}

function text(x, y, kind, content, anchor = 'start') {
  return `<text x="${x}" y="${y}" class="${kind}" text-anchor="${anchor}">${escape(content)}</text>`;
}

function escape(content) {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function shadeOf(index, count) {
  return SHADES.slice(-count)[index];
}

function lackOf(name) {
  const lacks = missing(name, TOGETHER);
  return lacks.length === 0 ? '' : `has no ${lacks.join(' and no ')}`;
}

function micro(ns, ratio, note) {
  return [`${(ns / 1e3).toFixed(2)} µs (${ratio.toFixed(0)} ×)`, note].filter(Boolean).join(', ');
}

function kilo(bytes) {
  return `${(bytes / 1e3).toFixed(1)} kB`;
}
