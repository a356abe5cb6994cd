import { checkName } from '../../errors/check.js';
import { systemClock, type Clock } from '../../time/clock.js';
import type { CircuitBreakerSettings } from './circuit-breaker-options.js';
import {
  NOISE_MS,
  ordinaryPermit,
  type CircuitBreakerState,
  type CircuitBreakerTransition,
  type ForcedState,
  type Permit,
} from './circuit-breaker-state.js';
import type { TransitionListeners } from './transition-listeners.js';
import type { TripRule } from './trip-rule.js';

/**
 * The states of a circuit breaker and what moves it from one to the next: calls, outcomes, time and operators. It sets
 * no timers: time is compared when somebody asks.
 */
export abstract class CircuitBreakerMachine {
  readonly name: string;
  protected readonly recoveryMs: number;
  protected readonly rule: TripRule;
  protected clock: Clock;
  protected current: CircuitBreakerState = 'closed';
  protected forced: ForcedState | null = null;
  protected forcedReason: string | null = null;
  protected probe: Permit | undefined = undefined;
  protected openedWallMs = 0;
  protected listeners: TransitionListeners | undefined = undefined;
  private readonly hasOwnClock: boolean;
  private permit: Permit = ordinaryPermit(0);
  private openedMs = 0;

  protected constructor({ name, recoveryMs, clock }: CircuitBreakerSettings, rule: TripRule) {
    this.name = name;
    this.recoveryMs = recoveryMs;
    this.rule = rule;
    this.hasOwnClock = clock !== undefined;
    this.clock = clock ?? systemClock;
  }

  /** @internal Asks to make a call now. `undefined` is a refusal; a permit must be recorded or released later. */
  admit(clock: Clock, leaseMs: number = this.recoveryMs): Permit | undefined {
    if (clock !== this.clock) this.follow(clock);
    if (this.current === 'closed') return this.permit;
    if (this.waitMs() !== 0) return undefined;
    const transition = this.current === 'open' ? this.move('half_open', 'call') : undefined;
    const leaseEndMs = this.clock.monotonicMs() + leaseMs;
    const probe = { generation: this.permit.generation, leaseEndMs, transition };
    this.probe = probe;
    // Told when the probe has its place: a listener may force the breaker, and so end this period.
    if (transition !== undefined) this.listeners?.tell(transition);
    return probe;
  }

  /**
   * @internal Milliseconds until a call may pass: 0 when one may now, `undefined` when only a probe in flight can tell,
   * `Infinity` when only an operator can.
   */
  waitMs(): number | undefined {
    if (this.current === 'closed') return 0;
    if (this.forced !== null) return Infinity;
    const nowMs = this.clock.monotonicMs();
    if (this.current === 'open') {
      const restMs = this.recoveryMs - (nowMs - this.openedMs);
      return restMs < NOISE_MS ? 0 : restMs;
    }
    return this.probe === undefined || nowMs > this.probe.leaseEndMs ? 0 : undefined;
  }

  /** @internal */
  recordSuccess(permit: Permit): CircuitBreakerTransition | undefined {
    if (this.isIrrelevant(permit)) return undefined;
    if (this.current === 'half_open') return permit === this.probe ? this.decide('closed') : undefined;
    this.rule.onSuccess(0);
    return undefined;
  }

  /** @internal */
  recordFailure(permit: Permit): CircuitBreakerTransition | undefined {
    if (this.isIrrelevant(permit)) return undefined;
    if (this.current === 'half_open') return permit === this.probe ? this.decide('open') : undefined;
    return this.rule.onFailure(this.clock.monotonicMs()) ? this.decide('open') : undefined;
  }

  /** @internal The call proved nothing: the caller went away, or its error is not recorded. A probe gives its place back. */
  release(permit: Permit): void {
    if (permit === this.probe) this.probe = undefined;
  }

  /** Outcomes of an earlier period decide nothing, and none does while an operator holds the breaker. */
  private isIrrelevant(permit: Permit): boolean {
    return permit.generation !== this.permit.generation || this.forced !== null;
  }

  private decide(to: CircuitBreakerState): CircuitBreakerTransition {
    const transition = this.move(to, 'call');
    this.listeners?.tell(transition);
    return transition;
  }

  /** Does as an operator says. @throws {ConfigurationError} for a blank reason. */
  protected operate(to: ForcedState, forced: ForcedState | null, reason: unknown): void {
    const checked = reason === undefined ? null : checkName('reason', reason);
    this.forced = forced;
    this.forcedReason = forced === null ? null : checked;
    const transition = this.move(to, 'operator', checked);
    this.listeners?.tell(transition);
  }

  /** Every change, also one that leaves the state as it was, begins a new period. */
  private move(
    to: CircuitBreakerState,
    by: CircuitBreakerTransition['by'],
    reason: string | null = null,
  ): CircuitBreakerTransition {
    const from = this.current;
    this.current = to;
    this.probe = undefined;
    this.permit = ordinaryPermit(this.permit.generation + 1);
    if (to === 'open' && from !== 'open') {
      this.openedMs = this.clock.monotonicMs();
      this.openedWallMs = this.clock.wallMs();
    }
    if (to === 'closed') this.rule.reset();
    const { failureCount } = this.rule;
    return Object.freeze({
      breakerName: this.name,
      from,
      to,
      failureCount,
      by,
      forced: this.forced !== null,
      reason,
    });
  }

  /** Goes on by the clock of the calls; what is running keeps the time that it has left. */
  private follow(clock: Clock): void {
    if (this.hasOwnClock) return;
    const shiftMs = clock.monotonicMs() - this.clock.monotonicMs();
    this.openedMs += shiftMs;
    if (this.probe !== undefined) this.probe.leaseEndMs += shiftMs;
    this.clock = clock;
  }
}
