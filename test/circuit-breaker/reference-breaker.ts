import type { CircuitBreakerState } from '../../lib/index.js';

export type Outcome = 'success' | 'failure' | 'ignored' | 'cancelled';

export interface Refusal {
  readonly state: CircuitBreakerState;
  readonly retryAfterSeconds: number | null;
}

interface ReferenceCall {
  readonly id: number;
  /** The period of the breaker that it was admitted in; a result counts in no other. */
  readonly period: number;
  readonly leaseEndMs: number;
  readonly timeoutAtMs: number;
  over: boolean;
}

/**
 * What a circuit breaker must do, said as simply as possible: it knows no wall clock, keeps every call it ever saw and
 * searches through them all. Times are whole milliseconds.
 */
export class ReferenceBreaker {
  nowMs = 0;
  state: CircuitBreakerState = 'closed';
  failures = 0;
  /** Where an operator holds it. */
  forced: 'open' | 'closed' | null = null;
  /** Every change that nobody has looked at yet: `closed to open by call`. */
  readonly changes: string[] = [];
  private period = 0;
  private openedAtMs = 0;
  private probe: ReferenceCall | undefined;
  private readonly calls: ReferenceCall[] = [];

  constructor(
    readonly threshold: number,
    readonly recoveryMs: number,
  ) {}

  /** A call comes: what it is refused with, if it is. */
  call(id: number, timeoutMs: number | undefined): Refusal | undefined {
    const refusal = this.refusal();
    if (refusal !== undefined) return refusal;
    if (this.state === 'open') this.enter('half_open', 'call');
    const call: ReferenceCall = {
      id,
      period: this.period,
      leaseEndMs: this.nowMs + (timeoutMs ?? this.recoveryMs),
      timeoutAtMs: this.nowMs + (timeoutMs ?? Infinity),
      over: false,
    };
    this.calls.push(call);
    if (this.state === 'half_open') this.probe = call;
    return undefined;
  }

  refusal(): Refusal | undefined {
    if (this.forced === 'open') return { state: 'open', retryAfterSeconds: null };
    if (this.state === 'open' && this.nowMs < this.openedAtMs + this.recoveryMs) {
      const restMs = this.openedAtMs + this.recoveryMs - this.nowMs;
      return { state: 'open', retryAfterSeconds: restMs / 1_000 };
    }
    if (this.state === 'half_open' && this.probe !== undefined && this.nowMs <= this.probe.leaseEndMs) {
      return { state: 'half_open', retryAfterSeconds: null };
    }
    return undefined;
  }

  settle(id: number, outcome: Outcome): void {
    const call = this.calls.find((one) => one.id === id);
    if (call === undefined || call.over) return;
    call.over = true;
    if (call.period !== this.period || this.forced !== null) return;
    if (this.state === 'closed') {
      if (outcome === 'success') this.failures = 0;
      if (outcome === 'failure') this.failures += 1;
      if (this.failures >= this.threshold) this.enter('open', 'call');
    } else if (this.probe === call) {
      if (outcome === 'success') this.enter('closed', 'call');
      else if (outcome === 'failure') this.enter('open', 'call');
      else this.probe = undefined;
    }
  }

  /** Time passes: one millisecond after the other, as timeouts fall due on the way. */
  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    const due = this.calls.filter((call) => !call.over && call.timeoutAtMs <= endMs);
    for (const call of due.sort((left, right) => left.timeoutAtMs - right.timeoutAtMs)) {
      this.nowMs = call.timeoutAtMs;
      this.settle(call.id, 'failure');
    }
    this.nowMs = endMs;
  }

  /** An operator takes hold of it, or with `null` lets go of it. */
  operate(forced: 'open' | 'closed' | null): void {
    this.forced = forced;
    this.enter(forced ?? 'closed', 'operator');
  }

  /** How many changes there were, those by operators included. */
  get periods(): number {
    return this.period;
  }

  get probeInFlight(): boolean {
    return this.probe !== undefined;
  }

  private enter(state: CircuitBreakerState, by: 'call' | 'operator'): void {
    this.changes.push(`${this.state} to ${state} by ${by}`);
    this.state = state;
    this.period += 1;
    this.probe = undefined;
    if (state === 'open') this.openedAtMs = this.nowMs;
    if (state === 'closed') this.failures = 0;
  }
}
