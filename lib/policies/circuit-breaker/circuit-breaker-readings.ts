import { INSPECT } from '../../errors/printing.js';
import { msToSeconds } from '../../time/duration.js';
import type { SavedCircuitBreaker } from './saved-circuit-breaker.js';
import { CircuitBreakerMachine } from './circuit-breaker-machine.js';
import { describeBreaker } from './describe-breaker.js';
import { makeRefusal, type CircuitBreakerOpenError } from './circuit-breaker-open-error.js';
import {
  retryAfter,
  stateFlags,
  type CircuitBreakerSnapshot,
  type CircuitBreakerState,
} from './circuit-breaker-state.js';

/** What a circuit breaker says of itself. Reading changes nothing. */
export abstract class CircuitBreakerReadings extends CircuitBreakerMachine {
  protected wasShared = false;
  /** `null` where no rule counts failures in a row. */
  get failureThreshold(): number | null {
    return this.settings.rules.failureThreshold ?? null;
  }

  /** @internal The lease of a probe, where the options give one. */
  get probeLeaseMs(): number | undefined {
    return this.settings.probes.leaseMs;
  }

  get state(): CircuitBreakerState {
    return this.current;
  }

  snapshot(): CircuitBreakerSnapshot {
    const [waitMs, state] = [this.waitMs(), this.current];
    const nowMs = this.clock.monotonicMs();
    const { failures, calls, failureRate, slowCalls, slowCallRate } = this.numbers();
    const probesInFlight = state === 'half_open' ? (this.probes?.inFlight ?? 0) : 0;
    return Object.freeze({
      name: this.name,
      state,
      forced: this.forced,
      forcedReason: this.forcedReason,
      failureCount: failures,
      failureThreshold: this.failureThreshold,
      calls,
      failureRate,
      slowCalls,
      slowCallRate,
      budget: this.budget?.numbers(nowMs) ?? null,
      openedAt: state === 'closed' ? null : new Date(this.opening.wallMs),
      openedBy: this.opening.by,
      recoveryTimeoutSeconds: msToSeconds(this.opening.recoveryMs),
      halfOpenProbeInFlight: probesInFlight > 0,
      probesInFlight,
      shared: this.wasShared ? this.fleet !== undefined : null,
      probeDue: state === 'open' && waitMs === 0,
      retryAfterSeconds: retryAfter(waitMs),
      ...stateFlags(state),
    });
  }

  /** Its settings in one line. */
  describe(): string {
    return describeBreaker(this.settings);
  }

  /** What is kept of it across a restart, for `CircuitBreaker.restore()`. */
  toJSON(): SavedCircuitBreaker {
    const isClosed = this.current === 'closed';
    // What was spent is not kept: of a half-open one that waits for its budget, the probe is what is left.
    const owesProbe = this.opening.owesProbe && this.forced === null;
    return {
      version: 1,
      name: this.name,
      state: owesProbe ? 'half_open' : this.current,
      opened_at: isClosed ? null : new Date(this.opening.wallMs).toISOString(),
      opened_by: this.opening.by,
      failed_probes: this.opening.failures,
      forced: this.forced,
      forced_reason: this.forcedReason,
    };
  }

  /** @internal Printed, it shows the same as a snapshot. */
  [INSPECT](): CircuitBreakerSnapshot {
    return this.snapshot();
  }

  /** @internal The error of a refusal. */
  refusal(cause?: unknown): CircuitBreakerOpenError {
    const { askedWaitMs: waitMs } = this;
    // Nobody knows for how long: a probe runs; or a process that shares it probes, or is about to.
    const isHalfOpen = waitMs === undefined;
    const reason = isHalfOpen ? 'probes_busy' : (this.opening.by ?? 'operator');
    const probesInFlight = this.current === 'half_open' ? (this.probes?.inFlight ?? 0) : 0;
    const options = { reason, facts: this.opening.facts, probesInFlight } as const;
    return makeRefusal(
      this.name,
      isHalfOpen ? 'half_open' : 'open',
      retryAfter(waitMs),
      cause === undefined ? options : { ...options, cause },
    );
  }
}
