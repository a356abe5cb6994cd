import { performance } from 'node:perf_hooks';

const CALLS = 20_000;
const CPU_MS = 200;
const IDLE_MS = 200;

/**
 * Calls until the compiler has seen enough. Gives CPU nanoseconds of a call at the end of it, and how many milliseconds a
 * call waits for timers: waiting takes no CPU, but time. On a busy machine the clock on the wall would tell neither.
 */
export async function warmUp({ call, rest }, mostCalls = CALLS) {
  const atOnce = Math.min(50, mostCalls);
  const idleBefore = performance.eventLoopUtilization().idle;
  const before = process.cpuUsage();
  let [calls, idleMs, cpuNs] = [0, 0, 0];
  for (let total = 0; calls < CALLS && total < CPU_MS * 1e6 && idleMs < IDLE_MS; calls += atOnce) {
    const start = cpuSince(before);
    for (let index = 0; index < atOnce; index += 1) await call();
    total = cpuSince(before);
    cpuNs = (total - start) / atOnce;
    idleMs = performance.eventLoopUtilization().idle - idleBefore;
    await rest?.();
  }
  return { cpuNs, idleMs: idleMs / calls };
}

export function cpuSince(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) * 1e3;
}
