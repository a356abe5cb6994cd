// How it is measured: CPU time per call. Each subject has a process of its own, in which it takes turns with the bare
// method: other subjects neither leave garbage behind nor spoil what the compiler has learnt, and whatever disturbs
// the machine disturbs both.

const ROUNDS = 31;
const MOST_CALLS = 60_000;
const ROUND_NS = 20e6;

/**
 * Median CPU nanoseconds of one awaited call: of the bare method, and of the subject. `rest` is what a subject does
 * between rounds of at most `mostCalls`, and is not measured.
 */
export async function measureCpu(bare, subject) {
  const plans = [bare, subject].map(({ call, rest, mostCalls = MOST_CALLS }) => {
    return { call, rest, mostCalls, calls: 0, samples: [] };
  });
  for (const plan of plans) {
    const warmUp = Math.min(20_000, plan.mostCalls);
    for (let calls = 0; calls < 20_000; calls += warmUp) await cpuOfRound(plan, warmUp);
    plan.calls = Math.min(plan.mostCalls, Math.ceil(ROUND_NS / (await cpuOfRound(plan, 2_000))));
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    // No forced collection between them: it also throws away what the compiler knows of objects that are gone.
    for (const plan of plans) plan.samples.push(await cpuOfRound(plan, plan.calls));
  }
  const [bareNs, ns] = plans.map(({ samples }) => median(samples));
  return { bareNs, ns };
}

/** Bytes allocated by one awaited call. Only where the young generation holds a whole run: see bench/run.mjs. */
export async function measureHeap({ call, rest, mostCalls = MOST_CALLS }) {
  const calls = Math.min(10_000, mostCalls);
  for (let index = 0; index < calls; index += 1) await call();
  await rest?.();
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < calls; index += 1) await call();
  return (process.memoryUsage().heapUsed - before) / calls;
}

async function cpuOfRound({ call, rest }, calls) {
  const before = process.cpuUsage();
  for (let index = 0; index < calls; index += 1) await call();
  const { user, system } = process.cpuUsage(before);
  await rest?.();
  return ((user + system) * 1e3) / calls;
}

function median(samples) {
  return samples.sort((one, other) => one - other)[Math.floor(samples.length / 2)];
}
