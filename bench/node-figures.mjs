// All figures of one Node.
import { libraryNames, RELPRIM } from './libraries/index.mjs';
import { measureStartUp } from './start-up/measure.mjs';
import { median } from './measure/median.mjs';
import { figureOf, ONE_THREAD, ROOMY } from './processes.mjs';
import { installPeers, peerVersions } from './runtimes/peers.mjs';
import { nodeOf } from '../scripts/node-versions.mjs';
import { subjects } from './subjects/index.mjs';
import { TOGETHER } from './subjects/scenarios.mjs';

export const IN_FLIGHT = [1, 100, 10_000, 50_000];
/** How often; peers are further away from each other than rounds are. */
const ROUNDS = process.argv.includes('--quick')
  ? { own: 11, peer: 5, flight: 3, peerFlight: 1, doors: 3, startUp: 3 }
  : { own: 21, peer: 11, flight: 7, peerFlight: 3, doors: 5, startUp: 5 };

/** `only`: the subjects whose names match, and nothing else. */
export function figuresOfNode(major, bundles, only) {
  const node = nodeOf(major);
  installPeers(major);
  const version = figureOf({ node, script: 'one.mjs', args: ['version'] });
  const wanted = Object.entries(subjects).filter(([name]) => only === undefined || only.test(name));
  const measured = wanted.map(([name, subject]) => [name, subjectOn(node, name, subject)]);
  const perCall = sameBare(measured.filter(([, figure]) => figure !== undefined));
  const figures = { version, peers: peerVersions(major), ...perCall };
  if (only !== undefined) return { ...figures, inFlight: {}, pending: {}, doors: {} };
  const ofLibraries = (measure) => Object.fromEntries(libraryNames.map((name) => [name, measure(name)]));
  return {
    ...figures,
    inFlight: ofLibraries((name) => inFlightOn(node, name, perCall.bareNs)),
    pending: ofLibraries((name) => figureOf({ node, script: 'one.mjs', args: ['pending', name] })),
    doors: doorsOn(node, bundles),
    startUp: measureStartUp(node, ROUNDS.startUp),
  };
}

function subjectOn(node, name, { peer = false }) {
  const rounds = peer ? ROUNDS.peer : ROUNDS.own;
  const cpu = figureOf({ node, script: 'one.mjs', args: ['cpu', name, rounds] });
  if (cpu === undefined || (peer && !name.endsWith(`: ${TOGETHER}`))) return cpu;
  return { ...cpu, bytes: figureOf({ node, flags: ROOMY, script: 'one.mjs', args: ['heap', name] }) };
}

/**
 * One bare await for all: what it took in most processes. Ratios are from within a process, and nanoseconds are those of a
 * call at the speed of that one await, so that rows of a slow minute can be read beside others. Subjects that make the bare
 * await of their own process dearer are divided by that of the others.
 */
function sameBare(measured) {
  const undisturbed = measured.filter(([name]) => subjects[name].changesProcess !== true);
  const bareNs = median((undisturbed.length > 0 ? undisturbed : measured).map(([, figure]) => figure.bareNs));
  const rows = measured.map(([name, { ns, ratio, bytes }]) => {
    const fair = subjects[name].changesProcess === true ? ns / bareNs : ratio;
    return [name, { ratio: fair, ns: fair * bareNs, bytes }];
  });
  return { bareNs, subjects: Object.fromEntries(rows) };
}

function inFlightOn(node, name, bareNs) {
  const rounds = name === RELPRIM ? ROUNDS.flight : ROUNDS.peerFlight;
  const found = IN_FLIGHT.map((count) => [
    count,
    figureOf({ node, flags: ONE_THREAD, script: 'one.mjs', args: ['flight', name, count, rounds] }),
  ]).filter(([, figure]) => figure !== undefined);
  return Object.fromEntries(found.map(([count, { ratio }]) => [count, { ratio, ns: ratio * bareNs }]));
}

function doorsOn(node, bundles) {
  const doors = Object.entries(bundles).filter(([door]) => !door.includes(' '));
  const times = Object.fromEntries(doors.map(([door]) => [door, []]));
  for (let round = 0; round < ROUNDS.doors; round += 1)
    for (const [door, { peers }] of doors) {
      const time = figureOf({ node, script: 'doors/one.mjs', args: [door, ...peers] });
      if (time !== undefined) times[door].push(time);
    }
  return Object.fromEntries(
    Object.entries(times).map(([door, list]) => {
      const of = (pick) => median(list.map(pick));
      return [door, { wallMs: of(({ wallMs }) => wallMs), cpuMs: of(({ cpuMs }) => cpuMs) }];
    }),
  );
}
