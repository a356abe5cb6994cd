// The limits that the project sets itself, and whether each is kept on each Node.
import { RESILIENT } from './doors/bundle.mjs';
import { RELPRIM } from './libraries/index.mjs';
import { subjects } from './subjects/index.mjs';

const whole = (unit) => (value) => `${Math.round(value).toLocaleString('en')} ${unit}`;
const UNITS = {
  ratio: (value) => `${value.toFixed(1)} × bare`,
  ns: whole('ns'),
  bytes: whole('B'),
  moreNs: whole('ns more'),
  ms: (value) => `${value.toFixed(0)} ms`,
  times: (value) => `${value.toFixed(1)} ×`,
};

const others = [
  {
    name: 'CPU per call with 50,000 in flight, beside 100',
    unit: 'times',
    limit: 2,
    valueOf: ({ inFlight }) => growth(inFlight[RELPRIM]),
  },
  {
    name: 'held by a call that waits',
    unit: 'bytes',
    limit: 1_100,
    valueOf: ({ pending }) => pending[RELPRIM],
  },
  {
    name: 'import of the core door',
    unit: 'ms',
    limit: { 20: 60 },
    valueOf: ({ doors }) => doors[RELPRIM]?.wallMs,
  },
  {
    name: `${RESILIENT}, gzip`,
    unit: 'bytes',
    limit: 15_000,
    valueOf: (_node, { bundles }) => bundles[RESILIENT].gzipped,
  },
  {
    name: 'added to a start by 1,000 decorated methods',
    unit: 'ms',
    limit: 100,
    valueOf: ({ startUp }) => startUp && startUp.decorated.wallMs - startUp.plain.wallMs,
  },
];

const ofSubjects = Object.entries(subjects).flatMap(([name, { marks = {}, over }]) =>
  Object.entries(marks).map(([unit, limit]) => ({
    name,
    unit,
    limit,
    valueOf: ({ subjects: figures }) => figureFor(figures, name, unit, over),
  })),
);

export function moreNs(figures, name, over) {
  return figures[name] && figures[over] && figures[name].ns - figures[over].ns;
}

/** How much more a call takes with 50,000 in flight than with a hundred. */
export function growth(inFlight) {
  const [few, many] = [inFlight?.[100], inFlight?.[50_000]];
  return few && many && many.ratio / few.ratio;
}

function figureFor(figures, name, unit, over) {
  return unit === 'moreNs' ? moreNs(figures, name, over) : figures[name]?.[unit];
}

/** One for each mark: its name, what it says, and for each Node the value and whether it is kept. */
export function marksOf(results) {
  return [...ofSubjects, ...others].map(({ name, unit, limit, valueOf }) => {
    const values = Object.entries(results.nodes).flatMap(([major, figures]) => {
      const most = typeof limit === 'number' ? limit : limit[major];
      const value = valueOf(figures, results);
      if (most === undefined || value === undefined) return [];
      return [{ major, text: UNITS[unit](value), kept: value <= most }];
    });
    const [, suffix] = UNITS[unit](0).split(/ (.*)/);
    const limits = typeof limit === 'number' ? [limit] : Object.values(limit);
    const says = `≤ ${limits.map((one) => one.toLocaleString('en')).join(' / ')} ${suffix}`;
    return { name, says, values };
  });
}

/** The mark of a row, and whether it is kept: `≤ 9 × bare: kept`. */
export function noteOn(name, marks) {
  return marks
    .filter((mark) => mark.name === name && mark.values.length > 0)
    .map(({ says, values }) => {
      const missed = values.filter(({ kept }) => !kept).map(({ major }) => major);
      return `${says}: ${missed.length === 0 ? 'kept' : `missed on ${missed.join(', ')}`}`;
    })
    .join('; ');
}
