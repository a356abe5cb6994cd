// How it is measured: CPU time per call, in rounds that take turns, so that whatever disturbs the machine disturbs all.

const ROUNDS = 25;
const MOST_CALLS = 40_000;
const ROUND_NS = 12e6;

/** Median CPU nanoseconds of one awaited call, per subject. */
export async function measureCpu(subjects) {
  const plans = [];
  for (const [name, { call }] of Object.entries(subjects)) {
    await cpuPerCall(call, 5_000);
    const guess = await cpuPerCall(call, 2_000);
    plans.push({ name, call, calls: Math.min(MOST_CALLS, Math.ceil(ROUND_NS / guess)), samples: [] });
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const plan of plans) plan.samples.push(await cpuPerCall(plan.call, plan.calls));
  }
  return new Map(plans.map(({ name, samples }) => [name, median(samples)]));
}

/** Bytes allocated by one awaited call. Only where the young generation holds a whole run: see bench/heap.mjs. */
export async function measureHeap(subjects, calls = 10_000) {
  const bytes = new Map();
  for (const [name, { call }] of Object.entries(subjects)) {
    for (let index = 0; index < calls; index += 1) await call();
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < calls; index += 1) await call();
    bytes.set(name, (process.memoryUsage().heapUsed - before) / calls);
  }
  return bytes;
}

async function cpuPerCall(call, calls) {
  const before = process.cpuUsage();
  for (let index = 0; index < calls; index += 1) await call();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1e3) / calls;
}

function median(samples) {
  return samples.sort((one, other) => one - other)[Math.floor(samples.length / 2)];
}
