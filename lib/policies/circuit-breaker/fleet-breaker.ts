import { CircuitBreakerReadings } from './circuit-breaker-readings.js';
import { NOISE_MS } from './circuit-breaker-state.js';
import type { Fleet, FleetWord } from './fleet.js';

/** A circuit breaker that other processes have a say in. What they say comes when it comes; no call waits for it. */
export abstract class FleetBreaker extends CircuitBreakerReadings {
  /** @internal From now on, or no longer. What they have opened stays open for the rest of its time. */
  join(fleet: Fleet | undefined): void {
    this.fleet = fleet;
    this.wasShared = true;
    if (fleet === undefined) this.fleetOpen = false;
  }

  /** @internal They have opened it, for so long, after so many failed probes of theirs. */
  openByFleet(forMs: number, failedProbes: number): void {
    if (this.forced !== null) return;
    const wasOpen = this.current === 'open';
    const transition = wasOpen ? undefined : this.move('open', 'fleet', 'fleet');
    this.opening.lead(forMs, failedProbes, this.clock);
    this.fleetOpen = true;
    if (transition !== undefined) this.tell(transition);
  }

  /** @internal They have found that the dependency is back. */
  closeByFleet(): void {
    // They may have opened it before they were out of reach.
    if (this.forced !== null || !(this.fleetOpen || this.opening.by === 'fleet')) return;
    this.fleetOpen = false;
    // They know nothing of what this process has spent.
    if (this.isBudgetSpent) this.waitForBudget();
    else this.tell(this.move('closed', 'fleet'));
  }

  /** @internal What they should know. */
  word(): FleetWord {
    const { rules, recovery, probes } = this.settings;
    const { calls, failureRate } = this.numbers();
    const rate = rules.rates?.failureRate ?? Infinity;
    const { opening } = this;
    const isTheirs = this.fleetOpen || opening.by === 'fleet';
    const isOwn = !isTheirs && this.forced === null && opening.by !== 'budget';
    return {
      votesOpen: this.current !== 'closed' && isOwn,
      calls: calls ?? 0,
      // Those of the window; beside another rule `failures` are those in a row.
      failures: Math.round((calls ?? 0) * (failureRate ?? 0)),
      failureRate: rate === Infinity ? 0 : rate,
      minimumCalls: rules.rates?.minimumCalls ?? 0,
      openForMs: isTheirs ? this.restMs : undefined,
      failedProbes: opening.failures,
      recovery,
      chance: recovery.jitter === 0 ? 0 : this.settings.random(),
      leaseMs: probes.leaseMs ?? recovery.initialMs,
      concurrentProbes: Math.min(probes.concurrent, MOST_PROBES),
    };
  }

  /** @internal */
  get isFleetOpen(): boolean {
    return this.fleetOpen;
  }

  /** @internal */
  get isForced(): boolean {
    return this.forced !== null;
  }

  private get restMs(): number {
    return Math.max(0, this.opening.restMs(this.clock.monotonicMs()));
  }

  private get isBudgetSpent(): boolean {
    return (this.budget?.waitMs(this.clock.monotonicMs()) ?? 0) >= NOISE_MS;
  }

  /** Open still, for a reason of its own. Its calls begin to count anew, as they do for those that close. */
  private waitForBudget(): void {
    this.opening.leaveToBudget();
    this.rule?.reset();
  }
}

/** As good as no limit, and a number that every server can read. */
const MOST_PROBES = 1_000_000;
