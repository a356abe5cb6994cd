// How it is measured: CPU time per call. Each subject has a process of its own, in which it takes turns with the bare
// method: other subjects neither leave garbage behind nor spoil what the compiler has learnt, and whatever disturbs
// the machine disturbs both.

const ROUNDS = 31;
const MOST_CALLS = 60_000;
const ROUND_NS = 20e6;

/** Median CPU nanoseconds of one awaited call: of the bare method, and of the subject. */
export async function measureCpu(bare, subject) {
  const plans = [bare, subject].map((call) => ({ call, calls: 0, samples: [] }));
  for (const plan of plans) {
    await cpuPerCall(plan.call, 20_000);
    plan.calls = Math.min(MOST_CALLS, Math.ceil(ROUND_NS / (await cpuPerCall(plan.call, 2_000))));
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    // No forced collection between them: it also throws away what the compiler knows of objects that are gone.
    for (const plan of plans) plan.samples.push(await cpuPerCall(plan.call, plan.calls));
  }
  const [bareNs, ns] = plans.map(({ samples }) => median(samples));
  return { bareNs, ns };
}

/** Bytes allocated by one awaited call. Only where the young generation holds a whole run: see bench/run.mjs. */
export async function measureHeap(call, calls = 10_000) {
  for (let index = 0; index < calls; index += 1) await call();
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < calls; index += 1) await call();
  return (process.memoryUsage().heapUsed - before) / calls;
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
