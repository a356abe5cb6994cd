import { warmUp } from './warm-up.mjs';

const CALLS = 10_000;
const IDLE_MS = 200;

/** Bytes allocated by one awaited call. Only where the young generation holds a whole run: see ROOMY in bench/processes.mjs. */
export async function measureHeap({ call, rest, mostCalls = CALLS }) {
  const { idleMs } = await warmUp({ call, rest }, mostCalls);
  const calls = Math.min(CALLS, mostCalls, Math.max(10, Math.floor(IDLE_MS / idleMs)));
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < calls; index += 1) await call();
  return (process.memoryUsage().heapUsed - before) / calls;
}
