import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Bytes that are held after everything that can go has gone. */
export async function heldBytes(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    await nextTurn();
    gc();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Whether nobody holds an object any more; gives the collector some turns to find out. */
export async function isGone(ref: WeakRef<object>): Promise<boolean> {
  for (let round = 0; round < 20 && ref.deref() !== undefined; round += 1) {
    await nextTurn();
    gc();
  }
  return ref.deref() === undefined;
}

export const MEGABYTE = 1_048_576;
