// CPU time per call. Each subject has a process of its own, in which it takes turns with the bare function: other subjects
// neither leave garbage behind nor spoil what the compiler has learnt, and whatever disturbs the machine disturbs both.
import { median } from './median.mjs';
import { cpuSince, warmUp } from './warm-up.mjs';

const ROUND_NS = 12e6;
const ROUND_IDLE_MS = 60;
const MOST_CALLS = 60_000;

/**
 * CPU nanoseconds of one awaited call, of the bare function and of the subject, and how many times the one is the other:
 * medians over rounds, the last one of what each pair of rounds said. `rest` is what a subject does between rounds of at
 * most `mostCalls`, and is not measured.
 */
export async function measureCpu(bare, subject, rounds) {
  const [first, second] = [await planOf(bare), await planOf(subject)];
  const pairs = [];
  for (let index = 0; index < rounds; index += 1) {
    // No forced collection between them: it also throws away what the compiler knows of objects that are gone.
    pairs.push({ bareNs: await first.round(), ns: await second.round() });
  }
  return {
    bareNs: median(pairs.map(({ bareNs }) => bareNs)),
    ns: median(pairs.map(({ ns }) => ns)),
    ratio: median(pairs.map(({ bareNs, ns }) => ns / bareNs)),
  };
}

export async function planOf({ call, rest, mostCalls = MOST_CALLS }) {
  const { cpuNs, idleMs } = await warmUp({ call, rest }, mostCalls);
  const wanted = Math.ceil(Math.min(ROUND_NS / cpuNs, ROUND_IDLE_MS / idleMs));
  const calls = Math.min(mostCalls, Math.max(10, wanted));
  return { round: () => roundOf({ call, rest, calls }) };
}

async function roundOf({ call, rest, calls }) {
  const before = process.cpuUsage();
  for (let index = 0; index < calls; index += 1) await call();
  const ns = cpuSince(before) / calls;
  await rest?.();
  return ns;
}
