// One import in a process of its own: `node bench/doors/one.mjs <door> <what it needs of others>...`. What others wrote is
// loaded first and not measured: an application that has this door has them anyway.
import { performance } from 'node:perf_hooks';

const [, , door, ...peers] = process.argv;
for (const peer of peers) await import(peer);
const [cpu, start] = [process.cpuUsage(), performance.now()];
await import(door);
const wallMs = performance.now() - start;
const { user, system } = process.cpuUsage(cpu);
console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1e3 }));
process.exit(0);
