// Many calls in flight, all the time: of so many that wait, the oldest are settled by hand, and as many begin.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { planOf } from './cpu.mjs';
import { median } from './median.mjs';
import { cpuSince } from './warm-up.mjs';

const STEP = 100;
const MOST_CALLS = 50_000;
const ROUND_NS = 60e6;
const WARM_UP = { calls: 20_000, cpuMs: 2_000 };

class Flight {
  /** What settles the calls that wait, and their promises, the oldest first; a place is taken again and again. */
  settlers = [];
  promises = [];
  next = 0;

  /** @param build makes a call of the function that it is given. */
  constructor(build, size) {
    this.size = size;
    this.call = build(() => new Promise((resolve) => this.settlers.push(resolve)));
  }

  async fill() {
    while (this.promises.length < this.size) {
      for (let index = 0; index < STEP && this.promises.length < this.size; index += 1)
        this.promises.push(this.call());
      await this.arrival(this.promises.length);
    }
    const { settlers } = this;
    this.settlers = [];
    this.places = settlers;
  }

  /** Ends the oldest calls, and puts new ones into their places. Gives how many they were. */
  async step() {
    const { places, promises, next, size } = this;
    const count = Math.min(STEP, size - next);
    for (let index = next; index < next + count; index += 1) places[index](1);
    for (let index = next; index < next + count; index += 1) await promises[index];
    for (let index = next; index < next + count; index += 1) promises[index] = this.call();
    await this.arrival(count);
    for (let index = 0; index < count; index += 1) places[next + index] = this.settlers[index];
    this.settlers.length = 0;
    this.next = (next + count) % size;
    return count;
  }

  /** Some libraries reach the function a few turns later. */
  async arrival(count) {
    while (this.settlers.length < count) await nextTurn();
  }
}

/**
 * CPU nanoseconds of a call with so many in flight, and how many bare awaits that is. Those are measured before: with so many
 * calls in memory the garbage collector makes them dearer, too.
 */
export async function measureInFlight(bare, build, inFlight, rounds) {
  const plan = await planOf({ call: bare });
  const bareNs = await medianOf(rounds, plan.round);
  const flight = new Flight(build, inFlight);
  await flight.fill();
  const start = process.cpuUsage();
  let [callNs, done] = [Infinity, 0];
  // Long enough for every place to have been taken twice, unless that takes very long.
  const enough = Math.max(WARM_UP.calls, 2 * inFlight);
  for (; done < enough && cpuSince(start) < WARM_UP.cpuMs * 1e6; done += 500)
    callNs = await roundOf(flight, 500);
  const calls = Math.min(MOST_CALLS, Math.ceil(ROUND_NS / callNs));
  const ns = await medianOf(rounds, () => roundOf(flight, calls));
  return { bareNs, ns, ratio: ns / bareNs };
}

async function medianOf(rounds, round) {
  const samples = [];
  for (let index = 0; index < rounds; index += 1) samples.push(await round());
  return median(samples);
}

async function roundOf(flight, calls) {
  const before = process.cpuUsage();
  let done = 0;
  while (done < calls) done += await flight.step();
  return cpuSince(before) / done;
}

const PENDING = 10_000;

/** Bytes that a call holds while it waits, the function's own promise and what settles it included. */
export async function measurePending(build) {
  const call = build(() => new Promise((resolve) => kept.push(resolve)));
  const kept = [];
  const promises = [];
  const start = async (count) => {
    for (let index = 0; index < count; index += 1) promises.push(call());
    while (kept.length < count) await nextTurn();
  };
  await start(1_000);
  for (const settle of kept.splice(0)) settle(1);
  await Promise.all(promises.splice(0));
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  await start(PENDING);
  globalThis.gc();
  return (process.memoryUsage().heapUsed - before) / PENDING;
}
