// One measurement, in a process of its own: `node --expose-gc bench/one.mjs cpu <subject> <rounds>`, and so on.
import { library } from './libraries/index.mjs';
import { measureCpu } from './measure/cpu.mjs';
import { measureHeap } from './measure/heap.mjs';
import { measureInFlight, measurePending } from './measure/in-flight.mjs';
import { subjects } from './subjects/index.mjs';
import { policiesOfThree } from './subjects/scenarios.mjs';
import { works } from './subjects/work.mjs';

const [, , what, name, ...numbers] = process.argv;

const measurements = {
  version: async () => process.versions.node,
  async cpu(rounds) {
    const subject = await subjects[name].make();
    return subject && (await measureCpu({ call: works }, subject, rounds));
  },
  async heap() {
    const subject = await subjects[name].make();
    return subject && (await measureHeap(subject));
  },
  async flight(inFlight, rounds) {
    return measureInFlight(works, await builder(), inFlight, rounds);
  },
  async pending() {
    return measurePending(await builder());
  },
};

const figure = await measurements[what](...numbers.map(Number));
console.log(JSON.stringify(figure ?? null));
process.exit(0);

/** Under as many of the three policies as the library has, and with a timeout that none of the waiting calls meets. */
async function builder() {
  const { build } = await library(name);
  return (fn) => build(fn, { ...policiesOfThree, timeoutMs: 3_600_000 });
}
