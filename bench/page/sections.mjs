// What the page shows, by the names of its marks.
import { RESILIENT } from '../doors/bundle.mjs';
import { libraryNames, RELPRIM, versionsOf } from '../libraries/index.mjs';
import { growth, marksOf, moreNs, noteOn } from '../marks.mjs';
import { IN_FLIGHT } from '../node-figures.mjs';
import { groups } from '../subjects/index.mjs';
import { missing, scenarioNames, TOGETHER } from '../subjects/scenarios.mjs';
import { METHODS } from '../start-up/measure.mjs';
import { each, nanoseconds, ratio, tableOf } from './table.mjs';

export function sectionsOf(results) {
  const marks = marksOf(results);
  const ofGroups = Object.entries(groups).map(([name, subjects]) => [
    name,
    groupTable(results, subjects, marks),
  ]);
  return {
    machine: machineOf(results),
    marks: markTable(results, marks),
    compared: comparedTable(results),
    scenarios: scenarioTable(results),
    ...Object.fromEntries(ofGroups),
    flight: flightTable(results),
    doors: doorTable(results),
    'start-up': startUpTable(results),
  };
}

/** One table of the subjects that were measured, for those who look at some of them. */
export function listOf(results) {
  const marks = marksOf(results);
  const names = Object.keys(nodesOf(results)[0][1].subjects);
  const rows = names.map((name) => {
    const figures = nodesOf(results).map(([, node]) => node.subjects[name]);
    return [name, ...figures.map(pair), each(figures.map((figure) => figure?.bytes)), noteOn(name, marks)];
  });
  return tableOf(['', ...nodeTitles(results), 'bytes', 'mark'], rows);
}

const nodesOf = ({ nodes }) => Object.entries(nodes);
const newest = (results) => nodesOf(results).at(-1);
const nodeTitles = (results) => nodesOf(results).map(([major]) => `Node ${major}`);

function machineOf(results) {
  const { machine, date } = results;
  const peers = versionsOf(nodesOf(results).map(([, node]) => node.peers));
  const bares = nodesOf(results).map(([, { version, bareNs }]) => `${version} (${bareNs.toFixed(0)} ns)`);
  return `Measured on ${date}, ${machine}, with Node ${bares.join(', ')}; in brackets what awaiting the bare function takes. Beside ${peers}.`;
}

function markTable(results, marks) {
  const rows = marks.map(({ name, says, values }) => [
    short(name),
    says,
    ...nodesOf(results).map(([major]) => {
      const found = values.find((value) => value.major === major);
      return found === undefined ? '' : `${found.text.split(' ')[0]} ${found.kept ? 'kept' : '**missed**'}`;
    }),
  ]);
  return tableOf(['', 'mark', ...nodeTitles(results)], rows);
}

function pair(figure) {
  return figure === undefined ? '–' : `${nanoseconds(figure.ns)} ns, ${ratio(figure.ratio)} ×`;
}

function groupTable(results, subjects, marks) {
  const hasOver = Object.values(subjects).some(({ over }) => over !== undefined);
  const rows = Object.entries(subjects).map(([name, { over }]) => {
    const figures = nodesOf(results).map(([, node]) => node.subjects);
    const more = over === undefined ? '' : each(figures.map((ofNode) => moreNs(ofNode, name, over)));
    return [
      short(name),
      ...figures.map((ofNode) => pair(ofNode[name])),
      each(figures.map((ofNode) => ofNode[name]?.bytes)),
      ...(hasOver ? [over === undefined ? '' : `${more} than ${short(over)}`] : []),
      noteOn(name, marks),
    ];
  });
  const head = ['', ...nodeTitles(results), 'bytes', ...(hasOver ? ['ns more'] : []), 'mark'];
  return tableOf(head, rows);
}

const short = (name) => name.replace('relprim: ', '');

/** The scenario of a library that lacks one of the three policies: the other two. */
export function nearest(name) {
  const lacks = missing(name, TOGETHER);
  return lacks.length === 0
    ? TOGETHER
    : TOGETHER.split(' + ')
        .filter((policy) => !lacks.includes(policy))
        .join(' + ');
}

function comparedTable(results) {
  const rows = libraryNames.slice(1).map((name) => {
    const scenario = nearest(name);
    const figures = nodesOf(results).map(([, { subjects }]) => subjects[`${name}: ${scenario}`]);
    const ours = nodesOf(results).map(([, { subjects }]) => subjects[`${RELPRIM}: ${scenario}`]);
    const times = figures.map((figure, index) =>
      figure && ours[index] ? (figure.ratio / ours[index].ratio).toFixed(1) : '–',
    );
    return [name, scenario, ...figures.map(pair), name === RELPRIM ? '' : `${times.join(' / ')} ×`];
  });
  return tableOf(['', 'policies', ...nodeTitles(results), 'beside relprim'], rows);
}

function scenarioTable(results) {
  const [major, { subjects }] = newest(results);
  const names = libraryNames.slice(1);
  const rows = scenarioNames.map((scenario) => [
    scenario,
    ...names.map((name) => nanoseconds(subjects[`${name}: ${scenario}`]?.ns)),
  ]);
  return tableOf([`CPU ns, Node ${major}`, ...names], rows);
}

function flightTable(results) {
  const [major, { inFlight, pending }] = newest(results);
  const rows = libraryNames.map((name) => [
    name,
    ...IN_FLIGHT.map((count) => nanoseconds(inFlight[name]?.[count]?.ns)),
    growth(inFlight[name])?.toFixed(1) ?? '–',
    nanoseconds(pending[name]),
  ]);
  const titles = IN_FLIGHT.map((count) => count.toLocaleString('en'));
  return tableOf([`in flight, Node ${major}`, ...titles, '50,000 ÷ 100', 'bytes held'], rows);
}

function doorTable({ bundles, nodes }) {
  const entries = Object.entries(nodes);
  const time = (ms) => (ms === undefined ? '–' : ms.toFixed(0));
  const rows = Object.entries(bundles).map(([door, { minified, gzipped }]) => [
    `\`${door}\``,
    (minified / 1e3).toFixed(1),
    (gzipped / 1e3).toFixed(1),
    ...entries.map(([, { doors }]) =>
      door === RESILIENT ? '' : `${time(doors[door]?.wallMs)} (${time(doors[door]?.cpuMs)})`,
    ),
  ]);
  const titles = entries.map(([major]) => `Node ${major}, ms (CPU)`);
  return tableOf(['', 'minified kB', 'gzip kB', ...titles], rows);
}

function startUpTable(results) {
  const figures = ({ wallMs, cpuMs, definedMs }) => [wallMs, cpuMs, definedMs];
  const rows = nodesOf(results).flatMap(([major, { startUp }]) => {
    if (startUp === undefined) return [];
    const [plain, decorated] = [startUp.plain, startUp.decorated].map(figures);
    const added = decorated.map((value, index) => value - plain[index]);
    return [
      [`Node ${major}: ${METHODS} methods in plain classes`, ...plain],
      [`Node ${major}: the same, decorated`, ...decorated],
      [`Node ${major}: added`, ...added],
    ].map(([title, ...values]) => [title, ...values.map((value) => value.toFixed(1))]);
  });
  return tableOf(['', 'start ms', 'start CPU ms', 'class definitions ms'], rows);
}
