import { expect } from '@jest/globals';
import fc from 'fast-check';
import { CircuitBreakerOpenError, type CircuitBreakerState } from '../../lib/index.js';
import { LONGEST_TIMEOUT_MS, RECOVERY_MS, type System } from './model-system.js';
import type { Outcome, ReferenceBreaker } from './reference-breaker.js';

type Command = fc.AsyncCommand<ReferenceBreaker, System>;
type Move = `${CircuitBreakerState} to ${CircuitBreakerState}`;

/** Runs one command on both, and then holds what must be true of the breaker after it. */
abstract class Step implements Command {
  protected abstract readonly mayMove: readonly Move[];

  check(_reference: Readonly<ReferenceBreaker>): boolean {
    return true;
  }

  async run(reference: ReferenceBreaker, system: System): Promise<void> {
    const before = system.breaker.state;
    await this.act(reference, system);
    const { state, forced, failureCount, openedAt, probeDue, retryAfterSeconds, halfOpenProbeInFlight } =
      system.breaker.snapshot();
    const refusal = reference.refusal();
    expect({ state, forced, failureCount, probeDue, retryAfterSeconds, halfOpenProbeInFlight }).toEqual({
      state: reference.state,
      forced: reference.forced,
      failureCount: reference.failures,
      probeDue: reference.state === 'open' && refusal === undefined,
      retryAfterSeconds: refusal === undefined ? 0 : refusal.retryAfterSeconds,
      halfOpenProbeInFlight: reference.probeInFlight,
    });
    expect(openedAt === null).toBe(state === 'closed');
    expect(system.changes.splice(0)).toEqual(reference.changes.splice(0));
    if (state !== before) expect(this.mayMove).toContain(`${before} to ${state}`);
  }

  protected abstract act(reference: ReferenceBreaker, system: System): Promise<void>;
}

class Call extends Step {
  protected readonly mayMove = ['open to half_open'] as const;

  constructor(private readonly timeoutMs: number | undefined) {
    super();
  }

  protected async act(reference: ReferenceBreaker, system: System): Promise<void> {
    const id = system.calls.length;
    const leased = system.calls.filter((call) => call.state === 'half_open' && !call.over);
    const call = await system.begin(this.timeoutMs);
    system.calls.push(call);
    const refusal = reference.call(id, this.timeoutMs);
    expect(call.admitted).toBe(refusal === undefined);
    if (refusal === undefined) system.working.push([id, call]);
    else {
      expect(call.error).toBeInstanceOf(CircuitBreakerOpenError);
      expect(call.error).toMatchObject(refusal);
    }
    if (call.state !== 'half_open') return;
    // Whatever the reference says: a probe is admitted only when no other one is inside its lease.
    for (const other of leased) expect(other.endOfLeaseMs).toBeLessThan(system.clock.monotonicMs());
  }

  override toString(): string {
    return `call(${this.timeoutMs ?? 'no timeout'})`;
  }
}

class Settle extends Step {
  protected readonly mayMove = ['closed to open', 'half_open to open', 'half_open to closed'] as const;

  constructor(
    private readonly which: number,
    private readonly outcome: Outcome,
  ) {
    super();
  }

  protected async act(reference: ReferenceBreaker, system: System): Promise<void> {
    const { working, clock } = system;
    const index = this.which % Math.max(1, working.length);
    const [picked] = working.splice(index, 1);
    if (picked === undefined) return;
    const [id, { work, controller }] = picked;
    if (this.outcome === 'success') work.resolve('up');
    else if (this.outcome === 'failure') work.reject(new Error('down'));
    else if (this.outcome === 'ignored') work.reject(new RangeError('not counted'));
    else controller.abort();
    await clock.advance(0);
    reference.settle(id, this.outcome);
  }

  override toString(): string {
    return `settle(${this.which}, ${this.outcome})`;
  }
}

class Advance extends Step {
  protected readonly mayMove = ['closed to open', 'half_open to open'] as const;

  constructor(private readonly ms: number) {
    super();
  }

  protected async act(reference: ReferenceBreaker, system: System): Promise<void> {
    await system.clock.advance(`${this.ms}ms`);
    reference.advance(this.ms);
  }

  override toString(): string {
    return `advance(${this.ms})`;
  }
}

/** Unknown to the reference: the wall clock decides nothing. */
class StepWall extends Step {
  protected readonly mayMove = [];

  constructor(
    private readonly seconds: number,
    private readonly direction: 'forward' | 'back',
  ) {
    super();
  }

  protected async act(_reference: ReferenceBreaker, system: System): Promise<void> {
    system.clock.stepWall(this.seconds, this.direction);
  }

  override toString(): string {
    return `wall(${this.direction} ${this.seconds})`;
  }
}

/** Takes hold of the breaker, or lets go of it. */
class Operate extends Step {
  protected readonly mayMove = [
    'closed to open',
    'half_open to open',
    'open to closed',
    'half_open to closed',
  ] as const;

  constructor(private readonly forced: 'open' | 'closed' | null) {
    super();
  }

  protected async act(reference: ReferenceBreaker, { breaker, calls }: System): Promise<void> {
    if (this.forced === 'open') breaker.forceOpen('maintenance');
    else if (this.forced === 'closed') breaker.forceClosed();
    else breaker.reset();
    reference.operate(this.forced);
    // Their period is over, and with it their being probes.
    for (const call of calls) call.state = 'closed';
  }

  override toString(): string {
    return `operate(${this.forced ?? 'reset'})`;
  }
}

const timeouts = fc.constantFrom(undefined, undefined, 4_000, RECOVERY_MS, LONGEST_TIMEOUT_MS);
const outcomes = fc.constantFrom<Outcome>('success', 'failure', 'failure', 'failure', 'ignored', 'cancelled');
const steps = fc.oneof(
  fc.constantFrom(1, RECOVERY_MS - 1, RECOVERY_MS, RECOVERY_MS + 1, 4_000, LONGEST_TIMEOUT_MS),
  fc.integer({ min: 0, max: 2 * RECOVERY_MS }),
);

// Of the calls still at work mostly the latest two, which are the probes when there are any.
const which = fc.oneof(fc.constantFrom(-1, -2), fc.nat(20));

const command = fc.oneof(
  { weight: 12, arbitrary: timeouts.map((timeoutMs) => new Call(timeoutMs)) },
  { weight: 12, arbitrary: fc.tuple(which, outcomes).map((settled) => new Settle(...settled)) },
  { weight: 8, arbitrary: steps.map((ms) => new Advance(ms)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 100_000 }), fc.constantFrom('forward', 'back' as const))
      .map((stepped) => new StepWall(...stepped)),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(null, null, 'open' as const, 'closed' as const).map((to) => new Operate(to)),
  },
);

export const breakerCommands = fc.commands<ReferenceBreaker, System, false>([command], {
  maxCommands: 80,
  size: 'max',
});
