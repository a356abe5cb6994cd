import { msToSeconds } from '../../time/duration.js';
import type { BudgetNumbers } from './budget.js';
import type { RuleNumbers, TripRuleName } from './rules/trip-rule.js';

/** `closed`: calls pass. `open`: none does. `half_open`: probes find out whether the dependency is back. */
export type CircuitBreakerState = 'closed' | 'open' | 'half_open';

/** Where an operator holds a breaker: no outcome and no time moves it. */
export type ForcedState = 'open' | 'closed';

/** What opened a breaker: one of its rules, its budget, a probe that failed, an operator, or the processes that share it. */
export type OpenedBy = TripRuleName | 'budget' | 'probe_failed' | 'operator' | 'fleet';

/** One change: of the state, or of what an operator wants of the breaker. */
export interface CircuitBreakerTransition {
  readonly breakerName: string;
  readonly from: CircuitBreakerState;
  /** The same as `from` where an operator only took hold of it, or let go of it. */
  readonly to: CircuitBreakerState;
  readonly failureCount: number;
  /** What opened it; `null` where this does not. */
  readonly openedBy: OpenedBy | null;
  /**
   * `call`: its coming, or its outcome. `operator`: `forceOpen()`, `forceClosed()` or `reset()`. `fleet`: the processes
   * that share it.
   */
  readonly by: 'call' | 'operator' | 'fleet';
  /** Whether an operator holds the breaker from now on. */
  readonly forced: boolean;
  /** What the operator gave as the reason; `null` without one. */
  readonly reason: string | null;
}

/** What a breaker says of itself at one moment. Reading it changes nothing and uses up no probe. */
export interface CircuitBreakerSnapshot extends Omit<RuleNumbers, 'failures'> {
  readonly name: string;
  readonly state: CircuitBreakerState;
  /** Where an operator holds it; `null` when it decides by itself. */
  readonly forced: ForcedState | null;
  /** Why, in the operator's words; `null` when it is not forced, or nothing was said. */
  readonly forcedReason: string | null;
  /** Failures in a row, or where no rule counts those, in the window. */
  readonly failureCount: number;
  /** `null` where no rule counts failures in a row. */
  readonly failureThreshold: number | null;
  /** When it opened, on the wall clock; `null` unless it is open or half-open. */
  readonly openedAt: Date | null;
  /** What opened it last; `null` when it is closed. */
  readonly openedBy: OpenedBy | null;
  /** How long it stays open this time, or the next. */
  readonly recoveryTimeoutSeconds: number;
  readonly halfOpenProbeInFlight: boolean;
  readonly probesInFlight: number;
  /** Whether it is shared with other processes now; `null` where it never was. */
  readonly shared: boolean | null;
  /** Open for long enough: the next call will be a probe. The state stays `open` until that call comes. */
  readonly probeDue: boolean;
  /** Until a call may pass; 0 when one may now, `null` when a probe in flight, or an operator, decides. */
  readonly retryAfterSeconds: number | null;
  /** `null` without a budget. */
  readonly budget: BudgetNumbers | null;
  readonly open: boolean;
  readonly closed: boolean;
  readonly halfOpen: boolean;
}

/**
 * The right to make one call. It belongs to one period of one state: an outcome that comes when the breaker has moved
 * on belongs to a past that no longer matters, and is dropped.
 */
export interface Permit {
  readonly generation: number;
  /** A probe that has not ended by then has lost its place. `Infinity` for ordinary calls. */
  leaseEndMs: number;
  /** Present when granting this permit changed the state. */
  readonly transition: CircuitBreakerTransition | undefined;
}

/** The permit that all calls of one closed period share. */
export function ordinaryPermit(generation: number, transition?: CircuitBreakerTransition): Permit {
  return { generation, leaseEndMs: Infinity, transition };
}

/** A wait as users see it: `null` where no time is known. */
export function retryAfter(waitMs: number | undefined): number | null {
  return waitMs === undefined || waitMs === Infinity ? null : msToSeconds(waitMs);
}

/** The state as questions. */
export function stateFlags(
  state: CircuitBreakerState,
): Pick<CircuitBreakerSnapshot, 'open' | 'closed' | 'halfOpen'> {
  return { open: state === 'open', closed: state === 'closed', halfOpen: state === 'half_open' };
}

/** Less than a microsecond is what floating point leaves of a wait that is over. */
export const NOISE_MS = 0.001;
