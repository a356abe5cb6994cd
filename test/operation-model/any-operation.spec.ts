import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { goesByTheContract, Seen } from './property.js';

/** All that a call may come to, and all that may be told on the way. */
const ALL = [
  'as it is: cancelled',
  'as it is: failed',
  'as it is: timed_out',
  'attempt.failed',
  'attempt.started',
  'attempt.succeeded',
  'circuit_breaker.closed',
  'circuit_breaker.half_opened',
  'circuit_breaker.opened',
  'circuit_breaker.rejected',
  'concurrency_limit.rejected',
  'concurrency_limit.waited',
  'failure: failed',
  'failure: timed_out',
  'fallback.failed',
  'fallback.started',
  'fallback.succeeded',
  'none: never ends',
  'operation.failed',
  'operation.started',
  'operation.succeeded',
  'rate_limit.detected',
  'rate_limit.wait_exceeded',
  'retry.scheduled',
  'validation.failed',
  'validation.succeeded',
  'value: succeeded',
];

describe('any operations on any upstream', () => {
  it('go as the contract says, by every door, and leave nothing behind', async () => {
    const seen = new Seen();
    for (const seed of [20260101, 5, 1_000_003])
      await fc.assert(goesByTheContract(seen), { numRuns: 200, seed });
    expect([...seen.counts.keys()].sort()).toEqual(ALL);
    expect(Math.min(...seen.counts.values())).toBeGreaterThanOrEqual(3);
  }, 60_000);
});
