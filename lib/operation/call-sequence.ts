import { globalSlot } from '../errors/global-slot.js';

const sequence = globalSlot('sequence', () => ({ last: 0 }));

/** Numbers calls in the order of their start, across copies of this package. */
export function nextSequence(): number {
  return (sequence.last += 1);
}

/** The number of the call that has started last. */
export function latestSequence(): number {
  return sequence.last;
}
