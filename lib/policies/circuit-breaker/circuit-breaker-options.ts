import {
  checkCount,
  checkFlag,
  checkName,
  checkOptions,
  checkTimeOptions,
  type TimeOptions,
} from '../../errors/check.js';
import { isBranded } from '../../errors/brand.js';
import { ConfigurationError } from '../../errors/configuration-error.js';
import {
  compileFilter,
  unwrapped,
  type FailureFilter,
  type FailurePredicate,
} from '../../errors/failure-filter.js';
import type { Clock } from '../../time/clock.js';
import type { Duration } from '../../time/duration.js';
import { systemRandom, type Random } from '../../time/random.js';
import { checkBudget, type BudgetOptions, type BudgetSettings } from './budget.js';
import { checkProbes, type ProbeOptions, type ProbeSettings } from './probes.js';
import { checkRecovery, type GrowingRecovery, type Recovery } from './recovery.js';
import {
  checkTripRules,
  TRIP_RULE_OPTIONS,
  type TripRuleOptions,
  type TripRuleSettings,
} from './rules/rule-from.js';

/** Options of {@link CircuitBreaker}. */
export interface CircuitBreakerOptions extends TripRuleOptions, TimeOptions {
  /** Names the dependency. Default `'default'`. */
  readonly name?: string | undefined;
  /** What its calls may cost in a period. It opens when that is spent, until enough of it is free again. */
  readonly budget?: BudgetOptions | undefined;
  /** How long it stays open before a probe may pass: always as long, or longer each time. Default 30 s. */
  readonly recoveryTimeout?: Duration | GrowingRecovery | undefined;
  /** How a half-open breaker finds out whether the dependency is back. Default: one probe, whose success closes. */
  readonly probes?: ProbeOptions | undefined;
  /** The most keys that `keyed()` keeps a breaker for. Default 1,000. */
  readonly maxKeys?: number | undefined;
  /**
   * Which failures count. Default: all but the refusals of other circuit breakers, concurrency limits and shields, which say nothing new, and waits of
   * inner operations that ended because the application stopped.
   */
  readonly recordFailureOn?: FailureFilter | undefined;
  /**
   * Our own event loop may have been blocked when a timeout came due. `true`: then the attempt may still deliver what
   * has arrived meanwhile, and a timeout all the same counts as nothing. Default false.
   */
  readonly ignoreLocalStalls?: boolean | undefined;
}

/** Options that have been checked, with the defaults filled in. */
export interface CircuitBreakerSettings {
  readonly name: string;
  readonly rules: TripRuleSettings;
  readonly budget: BudgetSettings | undefined;
  readonly recovery: Recovery;
  readonly probes: ProbeSettings;
  readonly maxKeys: number;
  readonly recordFailureOn: FailurePredicate;
  readonly ignoreLocalStalls: boolean;
  readonly clock: Clock | undefined;
  readonly random: Random;
}

/** The settings of one breaker for another one of this name: there may be many, and they keep them together. */
export class Inherited {
  constructor(
    readonly settings: CircuitBreakerSettings,
    readonly name: string,
  ) {}
}

const OPTIONS = [
  'name',
  ...TRIP_RULE_OPTIONS,
  'budget',
  'recoveryTimeout',
  'probes',
  'maxKeys',
  'recordFailureOn',
  'ignoreLocalStalls',
  'clock',
  'random',
];

export function checkBreakerOptions(options: CircuitBreakerOptions): CircuitBreakerSettings {
  checkOptions('circuitBreaker', options, OPTIONS);
  const name = options.name === undefined ? 'default' : checkName('name', options.name);
  const { recoveryTimeout, recordFailureOn, ignoreLocalStalls, budget, maxKeys = 1_000 } = options;
  const { clock, random = systemRandom } = options;
  return ofBreaker(name, () => {
    checkTimeOptions({ clock, random });
    return {
      name,
      rules: checkTripRules(options, budget !== undefined),
      budget: budget === undefined ? undefined : checkBudget(budget),
      recovery: checkRecovery(recoveryTimeout),
      probes: checkProbes(options.probes),
      maxKeys: checkCount('maxKeys', maxKeys, 1),
      recordFailureOn:
        recordFailureOn === undefined ? isEvidence : compileFilter('recordFailureOn', recordFailureOn),
      ignoreLocalStalls: checkFlag('ignoreLocalStalls', ignoreLocalStalls),
      clock,
      random,
    };
  });
}

/** Settings may come from far away, so a mistake in them says which breaker it is about. */
function ofBreaker<T>(name: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const problem = `of circuit breaker '${name}' ${error.problem}`;
    throw new ConfigurationError({ option: error.option, problem, cure: error.cure });
  }
}

/** Errors of ours that say nothing about what a breaker guards: nothing was called. */
const REFUSALS = [
  'CircuitBreakerOpenError',
  'ResilienceShutdownError',
  'ConcurrencyLimitError',
  'ShieldLimitedError',
];

function isEvidence(error: unknown): boolean {
  return !unwrapped(error).some((failure) => REFUSALS.some((name) => isBranded(failure, name)));
}
