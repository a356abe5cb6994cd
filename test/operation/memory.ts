import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Bytes that are held after everything that can go has gone. */
export async function heldBytes(): Promise<number> {
  for (let round = 0; round < 2; round += 1) {
    await nextTurn();
    gc();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** How many of these objects somebody still holds; gives the collector some turns to find out. */
export async function heldOf(refs: readonly WeakRef<object>[]): Promise<number> {
  const held = (): number => refs.filter((ref) => ref.deref() !== undefined).length;
  for (let round = 0; round < 10; round += 1) {
    await nextTurn();
    gc();
    // Looking at a reference keeps its object until the end of the turn.
    await nextTurn();
    if (held() === 0) return 0;
  }
  return held();
}

export const MEGABYTE = 1_048_576;
