import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { goesByTheContract, Seen } from './property.js';

/** Each time others; a failure prints the seed, which `RELPRIM_MODEL_SEED` takes. */
const numRuns = Number(process.env['RELPRIM_MODEL_RUNS'] ?? 20_000);
const seed = process.env['RELPRIM_MODEL_SEED'];

describe('very many operations on any upstream', () => {
  it(
    `go as the contract says, ${numRuns} times`,
    async () => {
      await fc.assert(goesByTheContract(new Seen()), { numRuns, ...(seed && { seed: Number(seed) }) });
    },
    numRuns * 1_000,
  );
});
