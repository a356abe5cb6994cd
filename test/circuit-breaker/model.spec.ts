import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { breakerCommands } from './breaker-commands.js';
import { anyNumbers, LONGEST_RECOVERY_MS } from './model-numbers.js';
import { System } from './model-system.js';
import { ReferenceBreaker } from './reference-breaker.js';

/** `RELPRIM_SLOW=1` tries more of them, each time others; a failure prints the seed. */
const RUNS = process.env['RELPRIM_SLOW'] === '1' ? { numRuns: 10_000 } : { numRuns: 500, seed: 20260101 };

/** All that can happen to a breaker, and why. */
const MOVES = [
  'closed to closed for operator',
  'closed to open for budget',
  'closed to open for consecutive_failures',
  'closed to open for failure_rate',
  'closed to open for operator',
  'closed to open for slow_call_rate',
  'half_open to closed for call',
  'half_open to closed for operator',
  'half_open to open for budget',
  'half_open to open for operator',
  'half_open to open for probe_failed',
  'open to closed for call',
  'open to closed for operator',
  'open to half_open for call',
  'open to open for operator',
];

/** From wherever the commands have left it: with every call hanging for ever, the breaker must find its way back. */
async function findsItsWayBack({ breaker, clock, numbers }: System): Promise<void> {
  const { forced, forcedReason } = breaker.snapshot();
  // Longer than any lease and any timeout.
  await clock.advance(`${LONGEST_RECOVERY_MS + 1}ms`);
  // Time alone does not take a breaker out of an operator's hand.
  expect(breaker.snapshot()).toMatchObject({ forced, forcedReason });
  if (forced !== null) breaker.reset();
  // No lease lasts longer, so nobody waits for the end of a probe any more.
  expect(breaker.snapshot().retryAfterSeconds).not.toBeNull();
  // One more success may be too late for a window full of failures, and then it takes all probes.
  for (let call = 0; call < numbers.probes.successes + 1 || breaker.state !== 'closed'; call += 1) {
    expect(call).toBeLessThan(2 * numbers.probes.successes + 2);
    await clock.advance(breaker.snapshot().retryAfterSeconds ?? NaN);
    await expect(breaker.run(() => ({ cost: 0 }))).resolves.toEqual({ cost: 0 });
  }
  expect(clock.pendingTimers).toBe(0);
}

describe('any sequence of calls, ends, costs, waits, steps of the wall clock, operators and restarts', () => {
  it('moves the breaker as the reference says, and never leaves it half-open for longer than a lease [R43, R45, R46, R48, R55, R57, R58]', async () => {
    // For the listener that throws.
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const moved = new Map<string, number>();
    const property = fc.asyncProperty(
      anyNumbers,
      fc.boolean(),
      breakerCommands,
      async (numbers, hasFilter, commands) => {
        const system = new System(numbers, hasFilter);
        system.onChange = (change) => moved.set(change, (moved.get(change) ?? 0) + 1);
        await fc.asyncModelRun(() => ({ model: new ReferenceBreaker(numbers), real: system }), commands);
        await findsItsWayBack(system);
      },
    );
    await fc.assert(property, RUNS);
    // A test that hardly ever moves the breaker would prove nothing.
    expect([...moved.keys()].sort()).toEqual(MOVES);
    expect(Math.min(...moved.values())).toBeGreaterThanOrEqual(5);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  }, 1_200_000);
});
