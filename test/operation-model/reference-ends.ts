import type { Failure } from './failures.js';

/** Thrown into a call whose caller went away. */
export const CANCELLED = Object.freeze({ tag: 'cancelled' });

/** Thrown by what ends a call at once, whatever its policies. */
export class Ending {
  constructor(readonly failure: Failure) {}
}
