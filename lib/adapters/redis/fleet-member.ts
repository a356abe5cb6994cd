import type { CircuitBreaker } from '../../policies/circuit-breaker/circuit-breaker.js';
import type { CircuitBreakerTransition } from '../../policies/circuit-breaker/circuit-breaker-state.js';
import type { Fleet } from '../../policies/circuit-breaker/fleet.js';
import type { Clock } from '../../time/clock.js';

/** What became of a probe that the fleet had allowed. `unused`: it proved nothing, or no call came for it. */
export type ProbeOutcome = '' | 'good' | 'bad' | 'unused';

/** What a process says of probes. */
export interface Tidings {
  /** It would probe: a call was refused, or has yet to come for the lease that it has. */
  readonly wants: boolean;
  readonly outcome: ProbeOutcome;
}

/** What the fleet has come to about one breaker. */
export interface FleetReply {
  readonly epoch: number;
  /** Until a probe may pass; `undefined` while the fleet's breaker is closed. */
  readonly waitMs: number | undefined;
  /** How long this process may probe; 0 where it may not. */
  readonly leaseMs: number;
  /** Processes that share it, this one included. */
  readonly replicas: number;
  /** Others would probe and may not. */
  readonly othersWait: boolean;
}

/** A lease that nobody has used for so many intervals goes to others who have calls. */
const IDLE_INTERVALS = 2;

/** One breaker of this process, as a member of its fleet. */
export class FleetMember implements Fleet {
  epoch = 0;
  /** A call was refused only because another process may be the one to probe. */
  private wanted = false;
  /** Said until somebody has heard it: a second time it means nothing. */
  private outcome: ProbeOutcome = '';
  private othersWait = false;
  private leaseEndMs = -Infinity;
  private usedMs = -Infinity;
  private readonly stopListening: () => void;

  constructor(
    readonly breaker: CircuitBreaker,
    private readonly clock: Clock,
    /** Something has happened that the others should know soon. */
    private readonly news: () => void,
  ) {
    this.stopListening = breaker.onTransition((transition) => this.note(transition));
  }

  leaseRestMs(): number {
    return Math.max(0, this.leaseEndMs - this.clock.monotonicMs());
  }

  wantProbe(): void {
    this.wanted = true;
  }

  tidings(intervalMs: number): Tidings {
    const nowMs = this.clock.monotonicMs();
    const hasLease = this.leaseRestMs() > 0;
    if (this.breaker.isProbing) this.usedMs = nowMs;
    const isIdle = nowMs - this.usedMs >= IDLE_INTERVALS * intervalMs;
    if (this.outcome === '' && hasLease && isIdle && this.othersWait) this.finish('unused');
    const wants = this.outcome === '' && this.breaker.isFleetOpen && !this.breaker.isProbing;
    return { wants: wants && (this.wanted || hasLease), outcome: this.outcome };
  }

  /**
   * Does as the fleet has decided. `sentMs`: when it was asked, from which moment on a lease is sure to count; `told`:
   * the outcome that it was told then.
   */
  apply({ epoch, waitMs, leaseMs, othersWait }: FleetReply, sentMs: number, told: ProbeOutcome): void {
    const isNew = epoch !== this.epoch;
    this.epoch = epoch;
    if (isNew) this.endLease();
    else if (this.outcome === told) this.outcome = '';
    // What they say is older than what they have yet to hear.
    if (this.outcome !== '') return;
    if (waitMs === undefined) return this.breaker.closeByFleet();
    if (isNew || !this.breaker.isFleetOpen) this.breaker.openByFleet(waitMs);
    if (this.leaseRestMs() === 0) this.usedMs = this.clock.monotonicMs();
    this.leaseEndMs = leaseMs === 0 ? -Infinity : sentMs + leaseMs;
    this.othersWait = othersWait;
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

  private note({ breakerName, from, to, by, openedBy }: CircuitBreakerTransition): void {
    // Told of those of its keys, too.
    if (by !== 'call' || breakerName !== this.breaker.name) return;
    if (from === 'half_open' && this.leaseRestMs() > 0) {
      // A budget that is used up says nothing about the dependency.
      const failed = openedBy === 'probe_failed' ? 'bad' : 'unused';
      this.finish(to === 'closed' ? 'good' : failed);
    }
    if (to !== 'half_open') this.news();
  }

  private finish(outcome: ProbeOutcome): void {
    this.outcome = outcome;
    this.leaseEndMs = -Infinity;
  }

  private endLease(): void {
    this.finish('');
    this.wanted = false;
    this.othersWait = false;
  }
}
