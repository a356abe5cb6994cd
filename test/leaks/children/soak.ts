// Calls for so many seconds, through everything that can become of an upstream, and looks at what must hold each second:
// a line a sample, and last what came of it all.
import { seededRandom } from '../../../lib/testing/index.js';
import { ResilienceExecutor, ResilienceState } from '../../../nest-module/index.js';
import { activeBeyond } from '../leftovers.js';
import { afterMs, CountingClock } from '../shapes/shape.js';
import { Client, startApplication } from '../soak/client.js';
import { sample } from '../soak/invariants.js';
import { PHASES, Upstream } from '../soak/phases.js';
import { AllEvents, SlowSink } from '../soak/sinks.js';
import { Tally } from '../soak/tally.js';
import { Traffic } from '../soak/traffic.js';

const seconds = Number(process.argv[2]);
/** At least two rounds through all phases. */
const phaseSeconds = Math.min(10, seconds / PHASES.length / 2);
const strays: string[] = [];
process.on('unhandledRejection', (reason) => strays.push(`unhandled rejection: ${String(reason)}`));
process.on('warning', ({ name, message }) => strays.push(`${name}: ${message}`));
// Made when first asked for, by whomever, and kept from then on.
void process.stdout;
void process.stderr;
const atStart = process.getActiveResourcesInfo();

const upstream = new Upstream(seededRandom(10));
const tally = new Tally();
const clock = new CountingClock();
const { signal } = new AbortController();
const app = await startApplication({ upstream, tally, signal }, clock);
app.get(ResilienceExecutor).observe(({ operationName, status }) => tally.reported(operationName, status));
const state = app.get(ResilienceState);
const [events, slowSink] = [app.get(AllEvents), app.get(SlowSink)];
const traffic = new Traffic(app.get(Client), tally, upstream, phaseSeconds);
const scene = { upstream, tally, traffic, signal, clock, state, events, slowSink };

const startMs = performance.now();
for (let second = 1; second <= seconds; second += 1) {
  await afterMs(startMs + second * 1_000 - performance.now());
  globalThis.gc?.();
  console.log(JSON.stringify(sample(scene, second, process.memoryUsage().heapUsed)));
}
const soakedSeconds = (performance.now() - startMs) / 1_000;
traffic.stop();
for (let round = 0; round < 300 && tally.inFlight > 0; round += 1) await afterMs(10);
const last = sample(scene, seconds + 1, process.memoryUsage().heapUsed);
await app.close();
for (let round = 0; round < 200 && activeBeyond(atStart).length > 0; round += 1) await afterMs(10);
console.log(
  JSON.stringify({
    last,
    started: tally.total('started'),
    ended: tally.total('ended'),
    reports: tally.total('reports'),
    statuses: tally.statuses,
    opened: events.opened,
    events: events.told,
    dropped: state.snapshot().event_sinks?.dropped,
    seconds: soakedSeconds,
    resources: activeBeyond(atStart),
    strays,
  }),
);
