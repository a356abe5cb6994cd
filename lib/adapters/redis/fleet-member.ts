import type { CircuitBreaker } from '../../policies/circuit-breaker/circuit-breaker.js';
import type { CircuitBreakerTransition } from '../../policies/circuit-breaker/circuit-breaker-state.js';
import type { Fleet } from '../../policies/circuit-breaker/fleet.js';
import type { Clock } from '../../time/clock.js';

/**
 * What became of a probe that the fleet had allowed. `unused`: it proved nothing, or no call came for it. `reset`: an
 * operator has closed the breaker, whatever a probe would say.
 */
export type ProbeOutcome = '' | 'good' | 'bad' | 'unused' | 'reset';

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
  /** Probes of the fleet that have failed in a row. */
  readonly failedProbes: number;
}

/** Who is told what a member does. */
export interface FleetWatch {
  /** Something has happened that the others should know soon. */
  news(): void;
  /** The fleet has moved the breaker. */
  moved(transition: CircuitBreakerTransition): void;
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
  private isReachable = false;
  private hasJoined = false;
  /** An operator holds it. */
  private isHeld: boolean;
  private readonly stopListening: () => void;

  constructor(
    readonly breaker: CircuitBreaker,
    private readonly clock: Clock,
    private readonly watch: FleetWatch,
  ) {
    this.isHeld = breaker.isForced;
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
  apply(reply: FleetReply, sentMs: number, told: ProbeOutcome): void {
    const { epoch, waitMs, leaseMs, othersWait, failedProbes } = reply;
    const isNew = epoch !== this.epoch;
    this.epoch = epoch;
    if (isNew) this.endLease();
    // A probe counts for the epoch that it was made in; what an operator has ordered has still to be told.
    if (isNew && this.outcome !== 'reset') this.outcome = '';
    if (this.outcome === told || (this.outcome === 'reset' && waitMs === undefined)) this.outcome = '';
    // What they say is older than what they have yet to hear.
    if (this.outcome !== '') return;
    if (waitMs === undefined) return this.breaker.closeByFleet();
    if (isNew || !this.breaker.isFleetOpen) this.breaker.openByFleet(waitMs, failedProbes);
    if (this.leaseRestMs() === 0) this.usedMs = this.clock.monotonicMs();
    this.leaseEndMs = leaseMs === 0 ? -Infinity : sentMs + leaseMs;
    this.othersWait = othersWait;
  }

  /** Whether this process takes part. Without the others it goes by itself. */
  join(isReachable: boolean): void {
    this.isReachable = isReachable;
    if (isReachable) this.hasJoined = true;
    this.breaker.join(isReachable ? this : undefined);
    if (!isReachable) this.endLease();
  }

  leave(): void {
    this.stopListening();
    this.join(false);
  }

  private note(transition: CircuitBreakerTransition): void {
    const { breakerName, from, to, by, openedBy, forced } = transition;
    // Told of those of its keys, too.
    if (breakerName !== this.breaker.name) return;
    if (by === 'operator') return this.noteOrder(forced);
    if (by === 'fleet') return this.watch.moved(transition);
    // By itself it has come to something else meanwhile.
    if (!this.isReachable) this.outcome = '';
    if (from === 'half_open' && this.leaseRestMs() > 0) {
      // A budget that is used up says nothing about the dependency.
      const failed = openedBy === 'probe_failed' ? 'bad' : 'unused';
      this.finish(to === 'closed' ? 'good' : failed);
    }
    if (to !== 'half_open') this.watch.news();
  }

  /** A reset closes it for all; of one that an operator held here, it lets go. */
  private noteOrder(isHeld: boolean): void {
    const wasHeld = this.isHeld;
    this.isHeld = isHeld;
    if (isHeld || wasHeld || !this.hasJoined) return;
    this.finish('reset');
    this.watch.news();
  }

  private finish(outcome: ProbeOutcome): void {
    this.outcome = outcome;
    this.leaseEndMs = -Infinity;
  }

  private endLease(): void {
    this.leaseEndMs = -Infinity;
    this.wanted = false;
    this.othersWait = false;
  }
}
