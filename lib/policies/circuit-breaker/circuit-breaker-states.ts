import { checkName } from '../../errors/check.js';
import { systemClock, type Clock } from '../../time/clock.js';
import { Budget } from './budget.js';
import type { SavedCircuitBreaker } from './saved-circuit-breaker.js';
import type { CircuitBreakerSettings } from './circuit-breaker-options.js';
import {
  ordinaryPermit,
  type CircuitBreakerState,
  type CircuitBreakerTransition,
  type ForcedState,
  type OpenedBy,
  type Permit,
} from './circuit-breaker-state.js';
import type { Fleet } from './fleet.js';
import { Opening } from './opening.js';
import { Probes } from './probes.js';
import { ruleFrom } from './rules/rule-from.js';
import type { TripRule } from './rules/trip-rule.js';

/** What all breakers begin with. */
const FIRST_PERIOD = ordinaryPermit(0);
const NO_BUDGET = { spent: null, limit: null };
const NO_RULE = { failures: 0, calls: null, failureRate: null, slowCalls: null, slowCallRate: null };

/** The state of a circuit breaker, and what each change of it brings along. */
export abstract class CircuitBreakerStates {
  protected readonly rule: TripRule | undefined;
  protected readonly budget: Budget | undefined;
  protected clock: Clock;
  protected current: CircuitBreakerState = 'closed';
  protected forced: ForcedState | null = null;
  protected forcedReason: string | null = null;
  /** Made when it is first half-open. */
  protected probes: Probes | undefined = undefined;
  /** The other processes that share it, while they can be reached. */
  protected fleet: Fleet | undefined = undefined;
  /** They have opened it, so that they decide when it closes. */
  protected fleetOpen = false;
  /** Calls that were let through and have not ended. */
  protected busy = 0;
  protected permit: Permit = FIRST_PERIOD;
  private everOpened: Opening | undefined = undefined;

  protected constructor(
    protected readonly settings: CircuitBreakerSettings,
    readonly name: string = settings.name,
  ) {
    const { clock, rules, budget } = settings;
    this.rule = ruleFrom(rules);
    this.budget = budget && new Budget(budget);
    this.clock = clock ?? systemClock;
  }

  /** Made when somebody asks: most breakers never open. */
  protected get opening(): Opening {
    const { recovery, random } = this.settings;
    return (this.everOpened ??= new Opening(recovery, random));
  }

  protected abstract tell(transition: CircuitBreakerTransition): void;

  /** Does as an operator says. @throws {ConfigurationError} for a blank reason. */
  protected operate(to: ForcedState, forced: ForcedState | null, reason: unknown): void {
    const checked = reason === undefined ? null : checkName('reason', reason);
    this.forced = forced;
    this.forcedReason = forced === null ? null : checked;
    this.fleetOpen = false;
    const transition = this.move(to, 'operator', to === 'open' ? 'operator' : null, checked);
    this.tell(transition);
  }

  /** Another process may be the one to probe. */
  protected get hasNoLease(): boolean {
    return this.fleetOpen && this.fleet?.leaseRestMs() === 0;
  }

  /** The limit of probes is the fleet's: each process that may probe does so once at a time. */
  protected get waitsForFleet(): boolean {
    return this.hasNoLease || (this.fleetOpen && this.isProbing);
  }

  /** @internal A probe runs that has not lost its place. */
  get isProbing(): boolean {
    return this.current === 'half_open' && this.probes?.isBusy(this.clock.monotonicMs()) === true;
  }

  protected numbers() {
    const nowMs = this.clock.monotonicMs();
    const { spent, limit } = this.budget?.numbers(nowMs) ?? NO_BUDGET;
    return { ...(this.rule?.numbers(nowMs) ?? NO_RULE), spent, limit };
  }

  /** Goes on where another one stopped. */
  protected adopt({
    state,
    opened_at,
    opened_by,
    failed_probes,
    forced,
    forced_reason,
  }: SavedCircuitBreaker): void {
    this.forced = forced;
    this.forcedReason = forced_reason;
    if (state === 'closed') return;
    this.current = 'open';
    this.permit = ordinaryPermit(this.permit.generation + 1);
    const wallMs = Date.parse(opened_at ?? '');
    // A clock that was set back must not make it longer.
    const passedMs = state === 'half_open' ? Infinity : Math.max(0, this.clock.wallMs() - wallMs);
    this.opening.restore(opened_by ?? 'operator', wallMs, failed_probes, passedMs, this.clock);
  }

  /** Every change, also one that leaves the state as it was, begins a new period. */
  protected move(
    to: CircuitBreakerState,
    by: CircuitBreakerTransition['by'],
    openedBy: OpenedBy | null = null,
    reason: string | null = null,
  ): CircuitBreakerTransition {
    const from = this.current;
    this.current = to;
    this.permit = ordinaryPermit(this.permit.generation + 1);
    if (to === 'half_open') (this.probes ??= new Probes(this.settings.probes)).reset();
    if (openedBy !== null && from !== 'open')
      this.opening.begin(openedBy, from === 'half_open', this.clock, this.numbers());
    else if (openedBy !== null) this.opening.passTo(openedBy);
    if (to === 'closed') this.settle(from, by);
    const { name: breakerName, forced } = this;
    const failureCount = this.numbers().failures;
    return Object.freeze({
      breakerName,
      from,
      to,
      failureCount,
      openedBy,
      by,
      forced: forced !== null,
      reason,
    });
  }

  /** It is closed. What its calls did counts on where only the budget had opened it. */
  private settle(from: CircuitBreakerState, by: CircuitBreakerTransition['by']): void {
    if (by === 'operator') this.budget?.reset();
    if (from !== 'open' || by !== 'call') this.rule?.reset();
    this.fleetOpen = false;
    this.everOpened?.end();
  }

  /** Goes on by the clock of the calls; what is running keeps the time that it has left. */
  protected follow(clock: Clock): void {
    if (this.settings.clock !== undefined) return;
    const shiftMs = clock.monotonicMs() - this.clock.monotonicMs();
    this.everOpened?.shift(shiftMs);
    this.probes?.shift(shiftMs);
    this.rule?.shift(shiftMs);
    this.budget?.shift(shiftMs);
    this.clock = clock;
  }
}
