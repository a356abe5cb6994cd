import { checkFunction, checkName } from '../../errors/check.js';
import type { FailurePredicate } from '../../errors/failure-filter.js';
import { isMisuse } from '../../errors/misuse-error.js';
import { INSPECT } from '../../errors/printing.js';
import { msToSeconds } from '../../time/duration.js';
import { makeRefusal, type CircuitBreakerOpenError } from './circuit-breaker-open-error.js';
import { checkBreakerOptions, type CircuitBreakerOptions } from './circuit-breaker-options.js';
import {
  retryAfter,
  stateFlags,
  type CircuitBreakerSnapshot,
  type CircuitBreakerState,
} from './circuit-breaker-state.js';
import { CircuitBreakerMachine } from './circuit-breaker-machine.js';
import { runGuarded } from './guarded-run.js';
import { TransitionListeners, type TransitionListener } from './transition-listeners.js';
import { ConsecutiveFailures } from './trip-rule.js';

/**
 * Stops calling a dependency that fails. One instance is shared by everything that calls that dependency.
 *
 * It sets no timers: time is compared when somebody asks. Without a clock of its own it goes by the clock of the
 * calls that use it.
 */
export class CircuitBreaker extends CircuitBreakerMachine {
  readonly failureThreshold: number;
  readonly recoveryTimeoutSeconds: number;
  private readonly recordFailureOn: FailurePredicate;

  /** @throws {ConfigurationError} for a blank name, a threshold below 1, a recovery time of 0 or less, an empty filter. */
  constructor(options: CircuitBreakerOptions = {}) {
    const settings = checkBreakerOptions(options);
    super(settings, new ConsecutiveFailures(settings.failureThreshold));
    this.failureThreshold = settings.failureThreshold;
    this.recoveryTimeoutSeconds = msToSeconds(settings.recoveryMs);
    this.recordFailureOn = settings.recordFailureOn;
  }

  get state(): CircuitBreakerState {
    return this.current;
  }

  snapshot(): CircuitBreakerSnapshot {
    const [waitMs, state] = [this.waitMs(), this.current];
    return Object.freeze({
      name: this.name,
      state,
      forced: this.forced,
      forcedReason: this.forcedReason,
      failureCount: this.rule.failureCount,
      failureThreshold: this.failureThreshold,
      openedAt: state === 'closed' ? null : new Date(this.openedWallMs),
      recoveryTimeoutSeconds: this.recoveryTimeoutSeconds,
      halfOpenProbeInFlight: this.probe !== undefined,
      probeDue: state === 'open' && waitMs === 0,
      retryAfterSeconds: retryAfter(waitMs),
      ...stateFlags(state),
    });
  }

  /** @internal Printed, it shows the same as a snapshot. */
  [INSPECT](): CircuitBreakerSnapshot {
    return this.snapshot();
  }

  /**
   * Refuses every call, probes too, until `reset()` or `forceClosed()`. @throws {ConfigurationError} without a reason.
   */
  forceOpen(reason: string): void {
    this.operate('open', 'open', checkName('reason', reason));
  }

  /** Lets every call pass and counts nothing, until `reset()` or `forceOpen()`. */
  forceClosed(reason?: string): void {
    this.operate('closed', 'closed', reason);
  }

  /** Closes it, forgets what happened, and lets it decide by itself again. Calls in flight change nothing. */
  reset(reason?: string): void {
    this.operate('closed', null, reason);
  }

  /**
   * Tells `listener` of every change from now on, just after it: of each change of state, and of whatever an operator
   * does. Gives a function that ends it. What a listener throws is a process warning, once, and harms no call.
   */
  onTransition(listener: TransitionListener): () => void {
    checkFunction('listener', listener);
    return (this.listeners ??= new TransitionListeners()).add(listener);
  }

  /**
   * Calls `fn` if the breaker lets it through, and records how it ends.
   * @throws {CircuitBreakerOpenError} when it does not; the failure of `fn` as it is.
   */
  run<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): Promise<Awaited<R>> {
    return this.runWith({}, fn, ...args);
  }

  /** `run` that ends at once, with the signal's reason, when the caller aborts, which is recorded as nothing. */
  runWith<A extends unknown[], R>(
    options: { readonly signal?: AbortSignal | undefined },
    fn: (...args: A) => R,
    ...args: A
  ): Promise<Awaited<R>> {
    return runGuarded(this, this.clock, options, fn, args);
  }

  /** @internal The error of a refusal. */
  refusal(cause?: unknown): CircuitBreakerOpenError {
    const state = this.current === 'half_open' ? 'half_open' : 'open';
    return makeRefusal(this.name, state, retryAfter(this.waitMs()), cause);
  }

  /** @internal Whether this failure says something about the dependency. */
  records(error: unknown): boolean {
    return !isMisuse(error) && this.recordFailureOn(error);
  }
}
