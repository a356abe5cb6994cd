import {
  checkCount,
  checkDuration,
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

/** Options of {@link CircuitBreaker}. */
export interface CircuitBreakerOptions extends Pick<TimeOptions, 'clock'> {
  /** Names the dependency. Default `'default'`. */
  readonly name?: string | undefined;
  /** How many failures in a row open it. Default 5, least 1. */
  readonly failureThreshold?: number | undefined;
  /** How long it stays open before a probe may pass. Default 30 s. */
  readonly recoveryTimeout?: Duration | undefined;
  /**
   * Which failures count. Default: all but the refusals of other circuit breakers, which say nothing new, and waits of
   * inner operations that ended because the application stopped.
   */
  readonly recordFailureOn?: FailureFilter | undefined;
}

/** Options that have been checked, with the defaults filled in. */
export interface CircuitBreakerSettings {
  readonly name: string;
  readonly failureThreshold: number;
  readonly recoveryMs: number;
  readonly recordFailureOn: FailurePredicate;
  readonly clock: Clock | undefined;
}

const OPTIONS = ['name', 'failureThreshold', 'recoveryTimeout', 'recordFailureOn', 'clock'];

export function checkBreakerOptions(options: CircuitBreakerOptions): CircuitBreakerSettings {
  checkOptions('circuitBreaker', options, OPTIONS);
  const name = options.name === undefined ? 'default' : checkName('name', options.name);
  const { failureThreshold = 5, recoveryTimeout = 30, recordFailureOn, clock } = options;
  return ofBreaker(name, () => {
    checkTimeOptions({ clock });
    return {
      name,
      failureThreshold: checkCount('failureThreshold', failureThreshold, 1),
      recoveryMs: checkDuration('recoveryTimeout', recoveryTimeout),
      recordFailureOn:
        recordFailureOn === undefined ? isEvidence : compileFilter('recordFailureOn', recordFailureOn),
      clock,
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

function isEvidence(error: unknown): boolean {
  return !unwrapped(error).some(
    (failure) =>
      isBranded(failure, 'CircuitBreakerOpenError') || isBranded(failure, 'ResilienceShutdownError'),
  );
}
