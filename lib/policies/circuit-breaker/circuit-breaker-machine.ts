import type { Clock } from '../../time/clock.js';
import {
  NOISE_MS,
  ordinaryPermit,
  type CircuitBreakerState,
  type CircuitBreakerTransition,
  type OpenedBy,
  type Permit,
} from './circuit-breaker-state.js';
import { CircuitBreakerStates } from './circuit-breaker-states.js';

/** What calls, their outcomes, and time do to a circuit breaker. It sets no timers: time is compared when somebody asks. */
export abstract class CircuitBreakerMachine extends CircuitBreakerStates {
  /** What `waitMs` said when a call last asked, and was refused. */
  protected askedWaitMs: number | undefined = 0;

  /** @internal Asks to make a call now. `undefined` is a refusal; a permit must be recorded or released later. */
  admit(clock: Clock, timeoutMs?: number): Permit | undefined {
    if (clock !== this.clock) this.follow(clock);
    if (this.current === 'closed') {
      this.busy += 1;
      return this.permit;
    }
    const waitMs = (this.askedWaitMs = this.waitMs());
    if (waitMs !== 0) {
      if (waitMs !== Infinity) this.fleet?.wantProbe();
      return undefined;
    }
    this.busy += 1;
    return this.current === 'open' && !this.opening.needsProbe ? this.goOn() : this.probe(timeoutMs);
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
      const waitMs = Math.max(this.opening.restMs(nowMs), this.budget?.waitMs(nowMs) ?? 0);
      return waitMs >= NOISE_MS ? waitMs : this.waitsForFleet ? undefined : 0;
    }
    // Half-open, its budget is free: what uses it up opens the breaker.
    return this.probes?.hasRoom(nowMs) === false || this.waitsForFleet ? undefined : 0;
  }

  /** @internal `value` is what the call gave, for a budget that reads its cost from it. */
  recordSuccess(
    permit: Permit,
    nowMs: number = this.clock.monotonicMs(),
    durationMs = 0,
    value?: unknown,
  ): CircuitBreakerTransition | undefined {
    this.busy -= 1;
    // It counts as a success also where its cost uses up the budget: what is counted goes on after that.
    const moved = this.current === 'closed' ? this.noteSuccess(permit, nowMs, durationMs) : undefined;
    const spent = this.budget === undefined ? undefined : this.charge(value, nowMs);
    if (this.current !== 'half_open' || this.isIrrelevant(permit)) return moved ?? spent;
    return this.judgeProbe(permit, this.rule?.isSlow(durationMs) !== true);
  }

  /** @internal */
  recordFailure(
    permit: Permit,
    nowMs: number = this.clock.monotonicMs(),
    durationMs = 0,
  ): CircuitBreakerTransition | undefined {
    this.busy -= 1;
    if (this.isIrrelevant(permit)) return undefined;
    if (this.current === 'half_open') return this.judgeProbe(permit, false);
    const tripped = this.rule?.onFailure(nowMs, durationMs);
    return tripped === undefined ? undefined : this.change('open', tripped);
  }

  /** @internal The call proved nothing: the caller went away, or its error is not recorded. A probe gives its place back. */
  release(permit: Permit): void {
    this.busy -= 1;
    if (permit.generation === this.permit.generation) this.probes?.end(permit);
  }

  /** A call has cost this much. It was spent, whatever becomes of the call. */
  protected take(amount: number, nowMs: number): CircuitBreakerTransition | undefined {
    if (this.budget === undefined || this.forced !== null) return undefined;
    const isUsedUp = this.budget.spend(nowMs, amount);
    return isUsedUp && this.current !== 'open' ? this.change('open', 'budget') : undefined;
  }

  /** What a result has cost, by the application's own function. */
  protected abstract charge(value: unknown, nowMs: number): CircuitBreakerTransition | undefined;

  private probe(timeoutMs: number | undefined): Permit {
    const nowMs = this.clock.monotonicMs();
    const transition = this.current === 'open' ? this.move('half_open', 'call') : undefined;
    const leaseMs = this.settings.probes.leaseMs ?? timeoutMs ?? this.opening.recoveryMs;
    // When the fleet's lease is over, another process probes.
    const mostMs = this.fleetOpen ? (this.fleet?.leaseRestMs() ?? Infinity) : Infinity;
    const leaseEndMs = nowMs + Math.min(leaseMs, mostMs);
    const probe = { generation: this.permit.generation, leaseEndMs, transition };
    this.probes?.begin(probe, nowMs);
    // Told when the probe has its place: a listener may force the breaker, and so end this period.
    if (transition !== undefined) this.tell(transition);
    return probe;
  }

  /** The budget is free again. */
  private goOn(): Permit {
    const transition = this.move('closed', 'call');
    const permit = ordinaryPermit(this.permit.generation, transition);
    this.tell(transition);
    return permit;
  }

  private noteSuccess(
    permit: Permit,
    nowMs: number,
    durationMs: number,
  ): CircuitBreakerTransition | undefined {
    if (this.isIrrelevant(permit)) return undefined;
    const tripped = this.rule?.onSuccess(nowMs, durationMs);
    return tripped === undefined ? undefined : this.change('open', tripped);
  }

  private judgeProbe(permit: Permit, isGood: boolean): CircuitBreakerTransition | undefined {
    const { probes } = this;
    if (probes?.end(permit) !== true || this.hasNoLease) return undefined;
    if (!isGood) return this.change('open', 'probe_failed');
    return probes.noteSuccess() ? this.change('closed') : undefined;
  }

  /** Outcomes of an earlier period decide nothing, and none does while an operator holds the breaker. */
  private isIrrelevant(permit: Permit): boolean {
    return permit.generation !== this.permit.generation || this.forced !== null;
  }

  private change(to: CircuitBreakerState, openedBy: OpenedBy | null = null): CircuitBreakerTransition {
    const transition = this.move(to, 'call', openedBy);
    this.tell(transition);
    return transition;
  }
}
