/** A source of chance: each call gives a number from 0 (included) to 1 (excluded). */
export type Random = () => number;

/** The platform's own source. Looked up at each call, so that a test may replace it. */
export const systemRandom: Random = () => Math.random();

/**
 * A source that gives the same numbers for the same seed, for tests.
 * Weyl sequence with the 32-bit finaliser of MurmurHash3, whose constants these are.
 */
export function seededRandom(seed: number): Random {
  let state = Math.trunc(seed) | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let bits = state;
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    return ((bits ^ (bits >>> 16)) >>> 0) / 0x1_0000_0000;
  };
}
