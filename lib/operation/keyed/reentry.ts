import { AsyncLocalStorage } from 'node:async_hooks';
import type { Flight } from './flight.js';

/** An execution of a key, and the one inside which it runs. */
interface Frame {
  readonly flight: Flight;
  readonly outer: Frame | undefined;
}

/** Made at the first keyed call: from then on, Node 20 and 22 pay for it at every `await` of the process. */
let storage: AsyncLocalStorage<Frame> | undefined;

/** Calls a function, and all that it starts, inside the execution of a key. */
export function runInside<A, T>(flight: Flight, run: (argument: A) => T, argument: A): T {
  storage ??= new AsyncLocalStorage();
  return storage.run({ flight, outer: unended(storage.getStore()) }, run, argument);
}

/** Work that starts its own successor must not hold all that came before. */
function unended(frame: Frame | undefined): Frame | undefined {
  let outer = frame;
  while (outer?.flight.landed === true) outer = outer.outer;
  return outer;
}

/** Whether whoever asks runs inside this execution. */
export function isInside(flight: Flight): boolean {
  for (let frame = storage?.getStore(); frame !== undefined; frame = frame.outer)
    if (frame.flight === flight) return true;
  return false;
}
