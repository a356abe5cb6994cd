import { CircuitBreakerReadings } from './circuit-breaker-readings.js';
import type { Fleet, FleetWord } from './fleet.js';

/** A circuit breaker that other processes have a say in. What they say comes when it comes; no call waits for it. */
export abstract class FleetBreaker extends CircuitBreakerReadings {
  /** @internal From now on, or no longer. What they have opened stays open for the rest of its time. */
  join(fleet: Fleet | undefined): void {
    this.fleet = fleet;
    this.wasShared = true;
    if (fleet === undefined) this.fleetOpen = false;
  }

  /** @internal They have opened it, for so long. */
  openByFleet(forMs: number): void {
    if (this.forced !== null) return;
    const wasOpen = this.current === 'open';
    const transition = wasOpen ? undefined : this.move('open', 'fleet', 'fleet');
    this.opening.lead(forMs, this.clock);
    this.fleetOpen = true;
    if (transition !== undefined) this.tell(transition);
  }

  /** @internal They have found that the dependency is back. */
  closeByFleet(): void {
    // They may have opened it before they were out of reach.
    if (this.forced !== null || !(this.fleetOpen || this.opening.by === 'fleet')) return;
    this.fleetOpen = false;
    if (this.current !== 'closed') this.tell(this.move('closed', 'fleet'));
  }

  /** @internal What they should know. */
  word(): FleetWord {
    const { rules, recovery, probes } = this.settings;
    const { calls, failureRate } = this.numbers();
    const rate = rules.rates?.failureRate ?? Infinity;
    const { by } = this.opening;
    const isOwn = !this.fleetOpen && this.forced === null && by !== 'budget' && by !== 'fleet';
    return {
      votesOpen: this.current !== 'closed' && isOwn,
      calls: calls ?? 0,
      // Those of the window; beside another rule `failures` are those in a row.
      failures: Math.round((calls ?? 0) * (failureRate ?? 0)),
      failureRate: rate === Infinity ? 0 : rate,
      minimumCalls: rules.rates?.minimumCalls ?? 0,
      recoveryMs: recovery.initialMs,
      leaseMs: probes.leaseMs ?? recovery.initialMs,
      concurrentProbes: Math.min(probes.concurrent, MOST_PROBES),
    };
  }

  /** @internal */
  get isFleetOpen(): boolean {
    return this.fleetOpen;
  }
}

/** As good as no limit, and a number that every server can read. */
const MOST_PROBES = 1_000_000;
