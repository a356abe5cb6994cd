import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { heldBytes, heldOf, MEGABYTE } from '../operation/memory.js';
import { afterMs, CountingClock, type Shape } from './shapes/shape.js';

/** What very many calls of one shape have left behind. */
export interface Leftovers {
  readonly shape: string;
  /** How the calls ended, and how they should have. */
  readonly endings: Readonly<Record<string, number>>;
  readonly rightEndings: Readonly<Record<string, number>>;
  /** By how much more is held after the calls than before them. */
  readonly grownBytes: number;
  readonly timers: number;
  /** One for each length of time that calls wait for in common; those of short ones have fired. */
  readonly rightTimers: number;
  readonly listeners: number;
  /** What the process has active beyond what it had at the start. */
  readonly resources: readonly string[];
  /** Async contexts that were looked at, and those that somebody still holds. */
  readonly contexts: number;
  readonly contextsHeld: number;
  readonly milliseconds: number;
}

const requests = new AsyncLocalStorage<object>();
const CONTEXTS = 500;
const MUCH = MEGABYTE / 4;

/** Makes calls of one shape, all under one signal, and looks at what is left of them. */
export async function leftoversOf(shape: Shape, calls: number, signal: AbortSignal): Promise<Leftovers> {
  const active = process.getActiveResourcesInfo();
  const clock = new CountingClock();
  const ends: (() => unknown)[] = [];
  const run = await shape.begin({ signal, clock, atEnd: (work) => ends.push(work) });
  const { together = 100 } = shape;
  const endings: Record<string, number> = {};
  const contexts: WeakRef<object>[] = [];

  // Compiled code, shapes of objects and full caches are no leak.
  const warmUp = Math.max(1_000, calls / 10);
  const last = warmUp + calls - 1;
  // The first call may have set the timer that all share, and the last one may be the latest that something was for.
  const isWatched = (call: number): boolean => call % Math.ceil(calls / CONTEXTS) === 0 || call === last;
  const start = (call: number): Promise<string> => {
    const context = { call };
    if (isWatched(call)) contexts.push(new WeakRef(context));
    return requests.run(context, () => run(call));
  };
  const play = async (first: number, end: number) => {
    for (let call = first; call < end; call += together) {
      const beside = Array.from({ length: Math.min(together, end - call) }, (_, index) =>
        start(call + index),
      );
      for (const ending of await Promise.all(beside)) endings[ending] = (endings[ending] ?? 0) + 1;
    }
  };

  await play(0, warmUp);
  const before = await heldBytes();
  const startMs = performance.now();
  for (const ending of Object.keys(endings)) endings[ending] = 0;
  await play(warmUp, warmUp + calls);
  const milliseconds = Math.round(performance.now() - startMs);
  const contextsHeld = await heldOf(contexts);
  const grownBytes = await grownSince(before);

  for (const end of ends) await end();
  await waitFor(() => clock.timersSet <= (shape.timersLeft ?? 0) && activeBeyond(active).length === 0);
  return {
    shape: shape.name,
    endings: Object.fromEntries(Object.entries(endings).filter(([, count]) => count > 0)),
    rightEndings: Object.fromEntries(
      Object.entries(shape.endings).map(([ending, part]) => [ending, Math.round(part * calls)]),
    ),
    grownBytes,
    timers: clock.timersSet,
    rightTimers: shape.timersLeft ?? 0,
    listeners: getEventListeners(signal, 'abort').length,
    resources: activeBeyond(active),
    contexts: contexts.length,
    contextsHeld,
    milliseconds,
  };
}

/** Looks again where much seems to be held: what is on its way out is no leak. */
async function grownSince(before: number): Promise<number> {
  let grown = (await heldBytes()) - before;
  for (let round = 0; round < 5 && grown > MUCH; round += 1) grown = (await heldBytes()) - before;
  return grown;
}

/** What is active now and was not then. */
export function activeBeyond(then: readonly string[]): string[] {
  const rest = [...then];
  return process.getActiveResourcesInfo().filter((resource) => {
    const place = rest.indexOf(resource);
    if (place >= 0) rest.splice(place, 1);
    return place < 0;
  });
}

/** Gives up after two seconds: what is not so then will be seen. */
async function waitFor(isSo: () => boolean): Promise<void> {
  for (let round = 0; round < 200 && !isSo(); round += 1) await afterMs(10);
}
