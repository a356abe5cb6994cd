import { checkCount, checkDuration, checkFlag, checkNumber } from '../errors/check.js';
import { checkMethodOptions } from '../decorator/check-method-options.js';
import type { MethodOptions } from '../decorator/decorated-method.js';
import {
  fromConfiguration,
  readCount,
  readNumber,
  readSwitch,
  type BackoffConfiguration,
  type Configured,
} from '../operation/configuration.js';
import { readBudget, readProbes, readRecovery } from '../operation/breaker-parts.js';
import { checkBudget, type BudgetOptions } from '../policies/circuit-breaker/budget.js';
import { checkProbes, type ProbeOptions } from '../policies/circuit-breaker/probes.js';
import { checkRecovery, type GrowingRecovery } from '../policies/circuit-breaker/recovery.js';
import type { TimeoutPolicy } from '../policies/timeout/timeout-policy.js';
import { Obeys } from './obeys.js';

type Settings = Configured<MethodOptions>;
/** A policy object of the code can be switched off, and no more. */
type Off = false | 'false' | undefined;

/**
 * The data of an operation's policies, to be nested in an application's own configuration class. Each property obeys
 * the rule of the option of its name, with the same message; `undefined` is not given.
 */
export class PolicyConfiguration {
  /** The name of a policy of the module. */
  @Obeys(policyOption('use'))
  use?: Settings['use'];

  @Obeys(policyOption('retries'))
  retries?: Settings['retries'];

  @Obeys(policyOption('backoff'))
  backoff?: BackoffConfiguration | undefined;

  @Obeys(policyOption('timeout'))
  timeout?: Exclude<Settings['timeout'], TimeoutPolicy>;

  @Obeys(policyOption('deadline'))
  deadline?: Settings['deadline'];

  /** The name of a circuit breaker. */
  @Obeys(policyOption('circuitBreaker'))
  circuitBreaker?: string | false | undefined;

  @Obeys(policyOption('maxConcurrent'))
  maxConcurrent?: Settings['maxConcurrent'];

  /** The name of a concurrency limit. */
  @Obeys(policyOption('concurrencyLimit'))
  concurrencyLimit?: string | false | undefined;

  /** The name of a method. */
  @Obeys(policyOption('fallback'))
  fallback?: string | false | undefined;

  @Obeys(policyOption('maxRateLimitWait'))
  maxRateLimitWait?: Settings['maxRateLimitWait'];

  @Obeys(policyOption('idempotencyTtl'))
  idempotencyTtl?: Settings['idempotencyTtl'];

  @Obeys(policyOption('idempotent'))
  idempotent?: Settings['idempotent'];

  @Obeys(policyOption('throws'))
  throws?: Settings['throws'];

  @Obeys(policyOption('retry'))
  retry?: Off;

  @Obeys(policyOption('fallbacks'))
  fallbacks?: Off;

  @Obeys(policyOption('rateLimit'))
  rateLimit?: Off;

  @Obeys(policyOption('idempotency'))
  idempotency?: Off;

  @Obeys(policyOption('validate'))
  validate?: Off;

  @Obeys(policyOption('validation'))
  validation?: Off;
}

/** The data of a circuit breaker's budget. */
export interface BudgetConfiguration {
  readonly limit: number | string;
  readonly per: number | string;
}

/** The data of a recovery time that grows. */
export interface RecoveryConfiguration {
  readonly initial: number | string;
  readonly factor?: number | string | undefined;
  readonly max: number | string;
  readonly jitter?: number | string | undefined;
}

/** The data of a circuit breaker's probes. */
export interface ProbesConfiguration {
  readonly concurrent?: number | string | undefined;
  readonly successes?: number | string | undefined;
  readonly lease?: number | string | undefined;
}

/** The data of a circuit breaker, to be nested in an application's own configuration class. */
export class CircuitBreakerConfiguration {
  @Obeys((value) => void checkCount('failureThreshold', readCount(value), 1))
  failureThreshold?: number | string | undefined;

  @Obeys((value) => void checkNumber('failureRate', readNumber(value), 0, 1))
  failureRate?: number | string | undefined;

  /** A number of calls, or a duration as text. */
  @Obeys((value) => void (typeof readCount(value) === 'number' || checkDuration('window', value)))
  window?: number | string | undefined;

  @Obeys((value) => void checkCount('minimumCalls', readCount(value), 1))
  minimumCalls?: number | string | undefined;

  @Obeys((value) => void checkDuration('slowCallSeconds', value))
  slowCallSeconds?: number | string | undefined;

  @Obeys((value) => void checkNumber('slowCallRate', readNumber(value), 0, 1))
  slowCallRate?: number | string | undefined;

  /** Tokens or money in a period; what a call costs is said by code. */
  @Obeys((value) => void checkBudget(readBudget(value) as BudgetOptions))
  budget?: BudgetConfiguration | undefined;

  /** A duration, or one that grows. */
  @Obeys((value) => void checkRecovery(readRecovery(value) as GrowingRecovery))
  recoveryTimeout?: number | string | RecoveryConfiguration | undefined;

  @Obeys((value) => void checkProbes(readProbes(value) as ProbeOptions))
  probes?: ProbesConfiguration | undefined;

  @Obeys((value) => void checkCount('maxKeys', readCount(value), 1))
  maxKeys?: number | string | undefined;

  @Obeys((value) => void checkFlag('ignoreLocalStalls', readSwitch(value)))
  ignoreLocalStalls?: boolean | 'true' | 'false' | undefined;
}

/** The rule of one option, wherever else it is asked. */
function policyOption(option: keyof PolicyConfiguration): (value: unknown) => void {
  return (value) => checkMethodOptions(fromConfiguration<MethodOptions>({ [option]: value }));
}
