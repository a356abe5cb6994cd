/** What was seen at one moment. */
export interface Reading {
  readonly seconds: number;
  readonly phase: string;
  readonly rate: number;
  readonly engaged: boolean;
  readonly timeoutMs: number;
  readonly budget: number;
  /** Calls that were answered in the last second. */
  readonly answered: number;
}

const WIDTH = 860;
const LEFT = 90;
const PANEL = 130;
const GAP = 34;
const TOP = 40;
/** Distinct for people who do not see all colours, and in print. */
const COLOURS = { rate: '#0b6e99', timeout: '#b4530a', budget: '#5b4b8a' };
const SHADES = ['#f4f4f2', '#e7e7e3'];

/** Three curves over one time, as an SVG picture. */
export function chart(readings: readonly Reading[]): string {
  const end = readings.at(-1)?.seconds ?? 1;
  const x = (seconds: number): number => LEFT + (seconds / end) * (WIDTH - LEFT - 20);
  const rate = ({ rate: most, engaged }: Reading): number | undefined => (engaged ? most : undefined);
  const panels = [
    panel(0, 'calls per second, at most (logarithmic)', COLOURS.rate, readings, x, rate, Math.log10),
    panel(1, 'timeout, ms', COLOURS.timeout, readings, x, ({ timeoutMs }) => timeoutMs),
    panel(2, 'retries left', COLOURS.budget, readings, x, ({ budget }) => budget),
  ];
  const height = TOP + 3 * (PANEL + GAP);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`,
    '<title>A shield while its upstream gets slow, is overloaded and recovers</title>',
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...phases(readings, x, height),
    ...panels.flat(),
    '</svg>',
    '',
  ].join('\n');
}

function phases(readings: readonly Reading[], x: (seconds: number) => number, height: number): string[] {
  const names = [...new Set(readings.map(({ phase }) => phase))];
  return names.flatMap((name, index) => {
    const own = readings.filter(({ phase }) => phase === name);
    const next = readings.find(({ seconds }) => seconds > (own.at(-1)?.seconds ?? 0));
    const from = x(own[0]?.seconds ?? 0);
    const to = x((next ?? own.at(-1))?.seconds ?? 0);
    return [
      `<rect x="${round(from)}" y="24" width="${round(to - from)}" height="${height - 34}" fill="${SHADES[index % 2]}"/>`,
      `<text x="${round((from + to) / 2)}" y="17" text-anchor="middle" fill="#333">${name}</text>`,
    ];
  });
}

function panel(
  index: number,
  title: string,
  colour: string,
  readings: readonly Reading[],
  x: (seconds: number) => number,
  value: (reading: Reading) => number | undefined,
  scale: (amount: number) => number = (amount) => amount,
): string[] {
  const top = TOP + index * (PANEL + GAP);
  const most = Math.max(2, ...readings.map((reading) => value(reading) ?? 0));
  const y = (amount: number): number => top + PANEL - (scale(amount) / scale(most)) * (PANEL - 22);
  // While the limiter is off there is no rate to draw: the line has a hole there.
  const lines = runs(readings, value).map((run) => {
    const points = run.map((reading) => `${round(x(reading.seconds))},${round(y(value(reading) ?? 0))}`);
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`;
  });
  return [
    `<text x="${LEFT + 6}" y="${top + 12}" fill="${colour}" font-weight="bold">${title}</text>`,
    `<line x1="${LEFT}" y1="${top + PANEL}" x2="${WIDTH - 20}" y2="${top + PANEL}" stroke="#999"/>`,
    `<text x="${LEFT - 8}" y="${top + PANEL + 4}" text-anchor="end" fill="#333">${scale === Math.log10 ? 1 : 0}</text>`,
    `<text x="${LEFT - 8}" y="${round(y(most)) + 4}" text-anchor="end" fill="#333">${Math.round(most)}</text>`,
    ...lines,
  ];
}

function runs(readings: readonly Reading[], value: (reading: Reading) => number | undefined): Reading[][] {
  const found: Reading[][] = [];
  let open: Reading[] | undefined;
  for (const reading of readings) {
    if (value(reading) === undefined) open = undefined;
    else if (open === undefined) found.push((open = [reading]));
    else open.push(reading);
  }
  return found;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
