import type { CircuitBreaker } from '../../policies/circuit-breaker/circuit-breaker.js';
import type { CircuitBreakerTransition } from '../../policies/circuit-breaker/circuit-breaker-state.js';
import type { Fleet } from '../../policies/circuit-breaker/fleet.js';
import type { Clock } from '../../time/clock.js';

/** What became of a probe that the fleet had allowed. `unused`: no call came for it. */
export type ProbeOutcome = '' | 'good' | 'bad' | 'unused';

/** What the fleet has come to about one breaker. */
export interface FleetReply {
  readonly epoch: number;
  /** Until a probe may pass; `undefined` while the fleet's breaker is closed. */
  readonly waitMs: number | undefined;
  /** How long this process may probe; 0 where it may not. */
  readonly leaseMs: number;
}

/** A lease that nobody has used for so many intervals goes back to those who have calls. */
const IDLE_INTERVALS = 2;

/** One breaker of this process, as a member of its fleet. */
export class FleetMember implements Fleet {
  epoch = 0;
  /** A call was refused only because another process may be the one to probe. */
  wanted = false;
  outcome: ProbeOutcome = '';
  private leaseEndMs = -Infinity;
  private leasedMs = -Infinity;
  private hasProbed = false;
  private readonly stopListening: () => void;

  constructor(
    readonly breaker: CircuitBreaker,
    private readonly clock: Clock,
    /** Something has happened that the others should know soon. */
    private readonly news: () => void,
  ) {
    this.stopListening = breaker.onTransition((transition) => this.note(transition));
  }

  mayProbe(): boolean {
    return this.clock.monotonicMs() < this.leaseEndMs;
  }

  wantProbe(): void {
    this.wanted = true;
  }

  /** What became of its lease, to be told once. */
  takeOutcome(intervalMs: number): ProbeOutcome {
    const { outcome } = this;
    this.outcome = '';
    if (outcome !== '' || this.hasProbed || !this.mayProbe()) return outcome;
    if (this.clock.monotonicMs() - this.leasedMs < IDLE_INTERVALS * intervalMs) return '';
    this.leaseEndMs = -Infinity;
    return 'unused';
  }

  /** Does as the fleet has decided. `sentMs`: when it was asked, from which moment on a lease is sure to count. */
  apply({ epoch, waitMs, leaseMs }: FleetReply, sentMs: number): void {
    const isNew = epoch !== this.epoch;
    this.epoch = epoch;
    if (isNew) this.endLease();
    if (waitMs === undefined) return this.breaker.closeByFleet();
    if (isNew || !this.breaker.isFleetOpen) this.breaker.openByFleet(waitMs);
    if (leaseMs === 0 || this.mayProbe()) return;
    this.leaseEndMs = sentMs + leaseMs;
    this.leasedMs = this.clock.monotonicMs();
    this.hasProbed = false;
    this.wanted = false;
  }

  /** Whether this process takes part. Without the others it goes by itself. */
  join(isReachable: boolean): void {
    this.breaker.join(isReachable ? this : undefined);
    if (!isReachable) this.endLease();
  }

  leave(): void {
    this.stopListening();
    this.join(false);
  }

  private note({ from, to, by }: CircuitBreakerTransition): void {
    if (by !== 'call') return;
    if (to === 'half_open') this.hasProbed = true;
    if (from === 'half_open' && this.mayProbe()) {
      this.outcome = to === 'closed' ? 'good' : 'bad';
      this.leaseEndMs = -Infinity;
    }
    if (to !== 'half_open') this.news();
  }

  private endLease(): void {
    this.leaseEndMs = -Infinity;
    this.outcome = '';
    this.hasProbed = false;
  }
}
