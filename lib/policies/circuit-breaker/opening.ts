import type { Clock } from '../../time/clock.js';
import type { Random } from '../../time/random.js';
import type { OpenedBy } from './circuit-breaker-state.js';
import { recoveryMs, type Recovery } from './recovery.js';

/** What had been counted when a breaker opened. `null` where it does not count that, or nobody knows. */
export interface OpeningFacts {
  readonly openedBy: OpenedBy | null;
  readonly openedAt: Date | null;
  readonly failures: number | null;
  readonly calls: number | null;
  readonly failureRate: number | null;
  readonly slowCalls: number | null;
  readonly slowCallRate: number | null;
  readonly spent: number | null;
  readonly limit: number | null;
}

/** Of an opening that nobody has seen. */
export const NOTHING_KNOWN: OpeningFacts = Object.freeze({
  openedBy: null,
  openedAt: null,
  failures: null,
  calls: null,
  failureRate: null,
  slowCalls: null,
  slowCallRate: null,
  spent: null,
  limit: null,
});

/** Why and since when a breaker is open, and for how long. */
export class Opening {
  by: OpenedBy | null = null;
  wallMs = 0;
  facts: OpeningFacts | undefined = undefined;
  /** How long it stays open this time, or the next. */
  recoveryMs: number;
  private sinceMs = 0;
  private failedProbes = 0;
  /** The budget opened it while it was half-open: whether the dependency is back is still not known. */
  owesProbe = false;

  constructor(
    private readonly recovery: Recovery,
    private readonly random: Random,
  ) {
    this.recoveryMs = recoveryMs(recovery, 0, random);
  }

  /** A budget opens by arithmetic: when it is free again, nobody has to find out anything. */
  get needsProbe(): boolean {
    return this.by !== 'budget' || this.owesProbe;
  }

  begin(
    by: OpenedBy,
    wasHalfOpen: boolean,
    clock: Clock,
    numbers: Omit<OpeningFacts, 'openedBy' | 'openedAt'>,
  ): void {
    this.by = by;
    this.owesProbe = by === 'budget' && wasHalfOpen;
    this.sinceMs = clock.monotonicMs();
    this.wallMs = clock.wallMs();
    this.facts = Object.freeze({ openedBy: by, openedAt: new Date(this.wallMs), ...numbers });
    // The first one was chosen, and told, when it closed.
    if (by !== 'probe_failed') return;
    this.failedProbes += 1;
    this.recoveryMs = recoveryMs(this.recovery, this.failedProbes, this.random);
  }

  /** Milliseconds of the recovery time that are left. */
  restMs(nowMs: number): number {
    return this.by === 'budget' ? 0 : this.recoveryMs - (nowMs - this.sinceMs);
  }

  /** The dependency is back. */
  end(): void {
    this.by = null;
    this.facts = undefined;
    this.failedProbes = 0;
    this.owesProbe = false;
    this.recoveryMs = recoveryMs(this.recovery, 0, this.random);
  }

  /** The dependency is back, and all that it waits for is its budget. */
  leaveToBudget(): void {
    this.passTo('budget');
    this.owesProbe = false;
    this.failedProbes = 0;
  }

  /** It stays open since when it was, and is now somebody else's. */
  passTo(by: OpenedBy): void {
    this.by = by;
    this.facts = Object.freeze({ ...(this.facts ?? NOTHING_KNOWN), openedBy: by });
  }

  shift(byMs: number): void {
    this.sinceMs += byMs;
  }

  /** Others decide from here on: it is open for so long, after so many of their probes have failed. */
  lead(forMs: number, failedProbes: number, clock: Clock): void {
    this.passTo('fleet');
    this.recoveryMs = forMs;
    this.failedProbes = failedProbes;
    this.sinceMs = clock.monotonicMs();
  }

  /** Goes on with an opening of another breaker, of which so much has passed; `Infinity`: it was half-open. */
  restore(by: OpenedBy, wallMs: number, failedProbes: number, passedMs: number, clock: Clock): void {
    this.by = by;
    this.owesProbe = passedMs === Infinity;
    this.wallMs = wallMs;
    this.facts = Object.freeze({ ...NOTHING_KNOWN, openedBy: by, openedAt: new Date(wallMs) });
    this.failedProbes = failedProbes;
    this.recoveryMs = recoveryMs(this.recovery, failedProbes, this.random);
    this.sinceMs = clock.monotonicMs() - Math.min(passedMs, this.recoveryMs);
  }

  get failures(): number {
    return this.failedProbes;
  }
}
