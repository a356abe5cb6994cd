import type { CircuitBreakerState, OpenedBy } from '../../lib/index.js';
import type { Numbers } from './model-numbers.js';
import { changeText, ReferenceLists } from './reference-lists.js';

export type Outcome = 'success' | 'failure' | 'ignored' | 'cancelled';

export interface Refusal {
  readonly state: CircuitBreakerState;
  readonly reason: OpenedBy | 'probes_busy';
  readonly retryAfterSeconds: number | null;
}

interface ReferenceCall {
  readonly id: number;
  /** The period of the breaker that it was admitted in; a result counts in no other. */
  readonly period: number;
  readonly startMs: number;
  readonly leaseEndMs: number;
  readonly timeoutAtMs: number;
  /** It is a probe that has not ended, and nobody has taken its place. */
  hasPlace: boolean;
  over: boolean;
}

/**
 * What a circuit breaker must do, said as simply as possible: it keeps every call it ever saw and searches through them
 * all. Times are whole milliseconds.
 */
export class ReferenceBreaker extends ReferenceLists {
  /** Decides nothing but what `openedAt` says, and how much of its time a breaker has left that is restored. */
  wallMs = Date.parse('2026-01-01T00:00:00Z');
  state: CircuitBreakerState = 'closed';
  /** Where an operator holds it. */
  forced: 'open' | 'closed' | null = null;
  openedBy: OpenedBy | null = null;
  openedAtWallMs = 0;
  recoveryMs: number;
  /** Every change that nobody has looked at yet. */
  readonly changes: string[] = [];
  /** How many changes there were, those by operators included. */
  periods = 0;
  private openedAtMs = 0;
  private failedProbes = 0;
  private goodProbes = 0;
  /** It must still find out whether the dependency is back, although the budget opened it. */
  private owesProbe = false;
  private calls: ReferenceCall[] = [];

  constructor(numbers: Numbers) {
    super(numbers);
    this.recoveryMs = this.recoveryAfter(0);
  }

  /** A call comes: what it is refused with, if it is. */
  call(id: number, timeoutMs: number | undefined): Refusal | undefined {
    const refusal = this.refusal();
    if (refusal !== undefined) return refusal;
    if (this.state === 'open')
      this.enter(this.openedBy === 'budget' && !this.owesProbe ? 'closed' : 'half_open', 'call');
    const isProbe = this.state === 'half_open';
    if (isProbe && !this.hasFreePlace) {
      const lapsed = this.probes.find(({ leaseEndMs }) => leaseEndMs < this.nowMs);
      if (lapsed !== undefined) lapsed.hasPlace = false;
    }
    this.calls.push({
      id,
      period: this.periods,
      startMs: this.nowMs,
      leaseEndMs: this.nowMs + (this.numbers.probes.leaseMs ?? timeoutMs ?? this.recoveryMs),
      timeoutAtMs: this.nowMs + (timeoutMs ?? Infinity),
      hasPlace: isProbe,
      over: false,
    });
    return undefined;
  }

  refusal(): Refusal | undefined {
    const { state } = this;
    const waitMs = this.waitMs();
    if (waitMs === 0) return undefined;
    const reason = state === 'half_open' ? 'probes_busy' : (this.openedBy as OpenedBy);
    return { state, reason, retryAfterSeconds: waitMs === Infinity ? null : waitMs / 1_000 };
  }

  settle(id: number, outcome: Outcome, cost = 0): void {
    const call = this.calls.find((one) => one.id === id);
    if (call === undefined || call.over) return;
    call.over = true;
    const proves = outcome === 'success' || outcome === 'failure';
    const ended = { atMs: this.nowMs, failed: outcome === 'failure', durationMs: this.nowMs - call.startMs };
    if (this.state === 'closed' && this.isOfNow(call) && proves) {
      this.outcomes.push(ended);
      const tripped = this.rule?.judge(this.outcomes);
      if (tripped !== undefined) this.enter('open', 'call', tripped);
    }
    if (outcome === 'success') this.spend(cost);
    if (!this.isOfNow(call) || !call.hasPlace) return;
    call.hasPlace = false;
    if (!proves) return;
    this.goodProbes += 1;
    if (ended.failed || ended.durationMs > (this.numbers.rates?.slowCallMs ?? Infinity))
      this.enter('open', 'call', 'probe_failed');
    else if (this.goodProbes === this.numbers.probes.successes) this.enter('closed', 'call');
  }

  /** Something was spent, by a call or beside them. */
  spend(amount: number): void {
    const { budget } = this.numbers;
    if (budget === undefined || this.forced !== null) return;
    this.costs.push({ atMs: this.nowMs, amount });
    if (this.spentAt(this.nowMs) >= budget.limit && this.state !== 'open')
      this.enter('open', 'call', 'budget');
  }

  /** Time passes: one millisecond after the other, as timeouts fall due on the way. */
  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    const due = this.calls.filter((call) => !call.over && call.timeoutAtMs <= endMs);
    for (const call of due.sort((left, right) => left.timeoutAtMs - right.timeoutAtMs)) {
      this.passTo(call.timeoutAtMs);
      this.settle(call.id, 'failure');
    }
    this.passTo(endMs);
  }

  /** An operator takes hold of it, or with `null` lets go of it. */
  operate(forced: 'open' | 'closed' | null): void {
    this.forced = forced;
    const to = forced ?? 'closed';
    this.enter(to, 'operator', to === 'open' ? 'operator' : null);
  }

  /** The process ends, and another goes on from what was saved, with settings that may be others. */
  restart(numbers: Numbers, wallPassedMs = Math.max(0, this.wallMs - this.openedAtWallMs)): void {
    this.numbers = numbers;
    this.periods += 1;
    this.calls = [];
    this.outcomes = [];
    this.costs = [];
    if (this.state === 'closed') this.failedProbes = 0;
    this.recoveryMs = this.recoveryAfter(this.failedProbes);
    if (this.state === 'closed') return;
    // What was half-open, or was on the way back to it, is open and may probe at once.
    const isDue = this.state === 'half_open' || (this.owesProbe && this.forced === null);
    this.state = 'open';
    this.owesProbe = isDue;
    this.openedAtMs = this.nowMs - (isDue ? this.recoveryMs : Math.min(this.recoveryMs, wallPassedMs));
  }

  get probes(): readonly ReferenceCall[] {
    return this.calls.filter(({ period, hasPlace }) => period === this.periods && hasPlace);
  }

  private get hasFreePlace(): boolean {
    return this.probes.length < this.numbers.probes.concurrent;
  }

  private isOfNow({ period }: ReferenceCall): boolean {
    return period === this.periods && this.forced === null;
  }

  /** `Infinity` where nobody knows. */
  private waitMs(): number {
    if (this.state === 'closed') return 0;
    if (this.forced !== null) return Infinity;
    const restMs = this.openedBy === 'budget' ? 0 : this.openedAtMs + this.recoveryMs - this.nowMs;
    if (this.state === 'open') return Math.max(this.freeAtMs() - this.nowMs, restMs, 0);
    const mayProbe = this.hasFreePlace || this.probes.some(({ leaseEndMs }) => leaseEndMs < this.nowMs);
    return mayProbe ? 0 : Infinity;
  }

  private passTo(ms: number): void {
    this.wallMs += ms - this.nowMs;
    this.nowMs = ms;
  }

  private enter(to: CircuitBreakerState, by: 'call' | 'operator', openedBy: OpenedBy | null = null): void {
    const from = this.state;
    this.state = to;
    this.periods += 1;
    this.goodProbes = 0;
    if (to === 'open' && from !== 'open') {
      this.openedAtMs = this.nowMs;
      this.openedAtWallMs = this.wallMs;
      this.owesProbe = openedBy === 'budget' && from === 'half_open';
    }
    if (openedBy === 'probe_failed') this.failedProbes += 1;
    if (openedBy !== null) this.openedBy = openedBy;
    if (to === 'closed') {
      if (by === 'operator') this.costs = [];
      if (by === 'operator' || from === 'half_open') this.outcomes = [];
      this.openedBy = null;
      this.owesProbe = false;
      this.failedProbes = 0;
    }
    if (to === 'closed' || openedBy === 'probe_failed')
      this.recoveryMs = this.recoveryAfter(this.failedProbes);
    this.changes.push(changeText(from, to, by, openedBy, this.counted().failures, this.forced !== null));
  }
}
