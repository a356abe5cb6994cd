import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { breakerCommands } from './breaker-commands.js';
import { LONGEST_TIMEOUT_MS, RECOVERY_MS, System } from './model-system.js';
import { ReferenceBreaker } from './reference-breaker.js';

/** From wherever the commands have left it: with every call hanging for ever, the breaker must find its way back. */
async function findsItsWayBack({ breaker, clock }: System): Promise<void> {
  const { forced, forcedReason } = breaker.snapshot();
  await clock.advance(`${LONGEST_TIMEOUT_MS + 1}ms`);
  // Time alone does not take a breaker out of an operator's hand.
  expect(breaker.snapshot()).toMatchObject({ forced, forcedReason });
  if (forced !== null) breaker.reset();
  // No lease lasts longer, so nobody waits for the end of a probe any more.
  expect(breaker.snapshot().retryAfterSeconds).not.toBeNull();
  await clock.advance(`${RECOVERY_MS}ms`);
  await expect(breaker.run(() => 'up')).resolves.toBe('up');
  expect(breaker.snapshot()).toMatchObject({ state: 'closed', failureCount: 0 });
  expect(clock.pendingTimers).toBe(0);
}

describe('any sequence of calls, ends, waits, steps of the wall clock and operators', () => {
  it('moves the breaker as the reference says, and never leaves it half-open for longer than a lease [R43, R45, R46, R48, R55, R57, R58]', async () => {
    // For the listener that throws.
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    let moved = 0;
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      breakerCommands,
      async (threshold, commands) => {
        const system = new System(threshold);
        const model = new ReferenceBreaker(threshold, RECOVERY_MS);
        await fc.asyncModelRun(() => ({ model, real: system }), commands);
        moved += model.periods;
        await findsItsWayBack(system);
      },
    );
    await fc.assert(property, { numRuns: 300, seed: 20260101 });
    // A test that hardly ever moves the breaker would prove nothing.
    expect(moved).toBeGreaterThan(1_000);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  }, 60_000);
});
