import { callersSignal } from '../../attempt/callers-signal.js';
import { runSoloAttempt } from '../../attempt/solo-attempt.js';
import type { FailurePredicate } from '../../errors/failure-filter.js';
import { isMisuse } from '../../errors/misuse-error.js';
import { INSPECT } from '../../errors/printing.js';
import { systemClock, type Clock } from '../../time/clock.js';
import { msToSeconds } from '../../time/duration.js';
import { makeRefusal, type CircuitBreakerOpenError } from './circuit-breaker-open-error.js';
import { checkBreakerOptions, type CircuitBreakerOptions } from './circuit-breaker-options.js';
import {
  NOISE_MS,
  ordinaryPermit,
  stateFlags,
  type CircuitBreakerSnapshot,
  type CircuitBreakerState,
  type CircuitBreakerTransition,
  type Permit,
} from './circuit-breaker-state.js';
import { ConsecutiveFailures, type TripRule } from './trip-rule.js';

/**
 * Stops calling a dependency that fails. One instance is shared by everything that calls that dependency.
 *
 * It sets no timers: time is compared when somebody asks. Without a clock of its own it goes by the clock of the
 * calls that use it.
 */
export class CircuitBreaker {
  readonly name: string;
  readonly failureThreshold: number;
  readonly recoveryTimeoutSeconds: number;
  private readonly recoveryMs: number;
  private readonly recordFailureOn: FailurePredicate;
  private readonly rule: TripRule;
  private readonly hasOwnClock: boolean;
  private clock: Clock;
  private current: CircuitBreakerState = 'closed';
  private permit: Permit = ordinaryPermit(0);
  private probe: Permit | undefined;
  private openedMs = 0;
  private openedWallMs = 0;

  /** @throws {ConfigurationError} for a blank name, a threshold below 1, a recovery time of 0 or less, an empty filter. */
  constructor(options: CircuitBreakerOptions = {}) {
    const { name, failureThreshold, recoveryMs, recordFailureOn, clock } = checkBreakerOptions(options);
    this.name = name;
    this.failureThreshold = failureThreshold;
    this.recoveryMs = recoveryMs;
    this.recoveryTimeoutSeconds = msToSeconds(recoveryMs);
    this.recordFailureOn = recordFailureOn;
    this.rule = new ConsecutiveFailures(failureThreshold);
    this.hasOwnClock = clock !== undefined;
    this.clock = clock ?? systemClock;
  }

  get state(): CircuitBreakerState {
    return this.current;
  }

  snapshot(): CircuitBreakerSnapshot {
    const [waitMs, state] = [this.waitMs(), this.current];
    return Object.freeze({
      name: this.name,
      state,
      failureCount: this.rule.failureCount,
      failureThreshold: this.failureThreshold,
      openedAt: state === 'closed' ? null : new Date(this.openedWallMs),
      recoveryTimeoutSeconds: this.recoveryTimeoutSeconds,
      halfOpenProbeInFlight: this.probe !== undefined,
      probeDue: state === 'open' && waitMs === 0,
      retryAfterSeconds: waitMs === undefined ? null : msToSeconds(waitMs),
      ...stateFlags(state),
    });
  }

  /** @internal Printed, it shows the same as a snapshot. */
  [INSPECT](): CircuitBreakerSnapshot {
    return this.snapshot();
  }

  /** Closes it and forgets what happened. Calls in flight belong to the past and change nothing. */
  reset(): void {
    this.move('closed');
  }

  /**
   * Calls `fn` if the breaker lets it through, and records how it ends.
   * @throws {CircuitBreakerOpenError} when it does not; the failure of `fn` as it is.
   */
  run<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): Promise<Awaited<R>> {
    return this.runWith({}, fn, ...args);
  }

  /** `run` that ends at once, with the signal's reason, when the caller aborts, which is recorded as nothing. */
  async runWith<A extends unknown[], R>(
    { signal }: { readonly signal?: AbortSignal | undefined },
    fn: (...args: A) => R,
    ...args: A
  ): Promise<Awaited<R>> {
    const caller = callersSignal(signal);
    let permit: Permit | undefined;
    try {
      caller.signal?.throwIfAborted();
      const { clock } = this;
      permit = this.admit(clock);
      if (permit === undefined) throw this.refusal();
      const options = {
        operationName: `circuit breaker '${this.name}'`,
        clock,
        number: 1,
        signal: caller.signal,
      };
      const value = await runSoloAttempt(options, fn, args);
      this.recordSuccess(permit);
      return value;
    } catch (error) {
      if (permit === undefined) throw error;
      if (caller.signal?.aborted === true || !this.records(error)) this.release(permit);
      else this.recordFailure(permit);
      throw error;
    } finally {
      caller.release();
    }
  }

  /** @internal Asks to make a call now. `undefined` is a refusal; a permit must be recorded or released later. */
  admit(clock: Clock, leaseMs: number = this.recoveryMs): Permit | undefined {
    if (clock !== this.clock) this.follow(clock);
    if (this.current === 'closed') return this.permit;
    if (this.waitMs() !== 0) return undefined;
    const transition = this.current === 'open' ? this.move('half_open') : undefined;
    const leaseEndMs = this.clock.monotonicMs() + leaseMs;
    this.probe = { generation: this.permit.generation, leaseEndMs, transition };
    return this.probe;
  }

  /** @internal The error of a refusal. */
  refusal(cause?: unknown): CircuitBreakerOpenError {
    const waitMs = this.waitMs();
    const state = this.current === 'half_open' ? 'half_open' : 'open';
    return makeRefusal(this.name, state, waitMs === undefined ? null : msToSeconds(waitMs), cause);
  }

  /** @internal Milliseconds until a call may pass: 0 when one may now, `undefined` when only a probe in flight can tell. */
  waitMs(): number | undefined {
    if (this.current === 'closed') return 0;
    const nowMs = this.clock.monotonicMs();
    if (this.current === 'open') {
      const restMs = this.recoveryMs - (nowMs - this.openedMs);
      return restMs < NOISE_MS ? 0 : restMs;
    }
    return this.probe === undefined || nowMs > this.probe.leaseEndMs ? 0 : undefined;
  }

  /** @internal Whether this failure says something about the dependency. */
  records(error: unknown): boolean {
    return !isMisuse(error) && this.recordFailureOn(error);
  }

  /** @internal */
  recordSuccess(permit: Permit): CircuitBreakerTransition | undefined {
    if (permit.generation !== this.permit.generation) return undefined;
    if (this.current === 'half_open') return permit === this.probe ? this.move('closed') : undefined;
    this.rule.onSuccess(0);
    return undefined;
  }

  /** @internal */
  recordFailure(permit: Permit): CircuitBreakerTransition | undefined {
    if (permit.generation !== this.permit.generation) return undefined;
    if (this.current === 'half_open') return permit === this.probe ? this.move('open') : undefined;
    return this.rule.onFailure(this.clock.monotonicMs()) ? this.move('open') : undefined;
  }

  /** @internal The call proved nothing: the caller went away, or its error is not recorded. A probe gives its place back. */
  release(permit: Permit): void {
    if (permit === this.probe) this.probe = undefined;
  }

  private move(to: CircuitBreakerState): CircuitBreakerTransition {
    const from = this.current;
    this.current = to;
    this.probe = undefined;
    this.permit = ordinaryPermit(this.permit.generation + 1);
    if (to === 'open') {
      this.openedMs = this.clock.monotonicMs();
      this.openedWallMs = this.clock.wallMs();
    }
    if (to === 'closed') this.rule.reset();
    return { breakerName: this.name, from, to, failureCount: this.rule.failureCount };
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
