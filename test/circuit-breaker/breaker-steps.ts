import { expect } from '@jest/globals';
import type fc from 'fast-check';
import type { CircuitBreakerTransition } from '../../lib/index.js';
import type { System } from './model-system.js';
import type { ReferenceBreaker } from './reference-breaker.js';

/** All that a call may do to a breaker, and what an operator may. */
const LEGAL: Readonly<Record<CircuitBreakerTransition['by'], readonly string[]>> = {
  call: ['closed to open', 'open to half_open', 'open to closed', 'half_open to open', 'half_open to closed'],
  operator: [
    'closed to open',
    'open to open',
    'half_open to open',
    'closed to closed',
    'open to closed',
    'half_open to closed',
  ],
  // Nobody shares it.
  fleet: [],
};

/** Runs one command on both, and then holds what must be true of the breaker after it. */
export abstract class Step implements fc.AsyncCommand<ReferenceBreaker, System> {
  check(_reference: Readonly<ReferenceBreaker>): boolean {
    return true;
  }

  async run(reference: ReferenceBreaker, system: System): Promise<void> {
    const { breaker } = system;
    const { state, openedBy } = breaker.snapshot();
    await this.act(reference, system);
    if (system.breaker === breaker) holdChanges(system, state, openedBy);
    holdLeases(system);
    const refusal = reference.refusal();
    const { failures, ...counted } = reference.counted();
    const isClosed = reference.state === 'closed';
    const inFlight = reference.state === 'half_open' ? reference.probes.length : 0;
    const { budget } = reference.numbers;
    expect(system.breaker.snapshot()).toEqual({
      ...system.breaker.snapshot(),
      ...counted,
      state: reference.state,
      forced: reference.forced,
      failureCount: failures,
      failureThreshold: reference.numbers.failureThreshold ?? null,
      budget: budget
        ? { spent: reference.spentAt(reference.nowMs), limit: budget.limit, perSeconds: 60 }
        : null,
      openedAt: isClosed ? null : new Date(reference.openedAtWallMs),
      openedBy: isClosed ? null : reference.openedBy,
      recoveryTimeoutSeconds: reference.recoveryMs / 1_000,
      probesInFlight: inFlight,
      halfOpenProbeInFlight: inFlight > 0,
      probeDue: reference.state === 'open' && refusal === undefined,
      retryAfterSeconds: refusal === undefined ? 0 : refusal.retryAfterSeconds,
    });
    expect(system.takeChanges()).toEqual(reference.changes.splice(0));
  }

  abstract act(reference: ReferenceBreaker, system: System): Promise<void>;
}

/** Whatever the reference says: only legal changes, each from where the one before led, and none by too few calls. */
function holdChanges({ changes, breaker, numbers }: System, before: string, beforeBy: string | null): void {
  let [state, openedBy] = [before, beforeBy];
  for (const change of changes) {
    const { from, to, by } = change;
    expect(from).toBe(state);
    expect(LEGAL[by]).toContain(`${from} to ${to}`);
    if (by === 'call' && from === 'open' && to === 'closed') expect(openedBy).toBe('budget');
    expect(change.openedBy !== null).toBe(to === 'open');
    if (change.openedBy?.endsWith('_rate') === true && breaker.state === 'open') {
      const { calls } = breaker.refusal().details;
      expect(calls).toBeGreaterThanOrEqual(numbers.rates?.minimumCalls ?? Infinity);
    }
    state = to;
    openedBy = change.openedBy ?? openedBy;
  }
  expect(breaker.state).toBe(state);
}

/** Whatever the reference says: no more probes than may be, of those that are inside their lease. */
function holdLeases({ calls, periods, clock, numbers }: System): void {
  const leased = calls.filter(
    ({ state, period, over, endOfLeaseMs }) =>
      state === 'half_open' && period === periods && !over && endOfLeaseMs >= clock.monotonicMs(),
  );
  expect(leased.length).toBeLessThanOrEqual(numbers.probes.concurrent);
}
