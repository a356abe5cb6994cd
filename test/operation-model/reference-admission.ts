import type { Outcome as Recorded } from '../circuit-breaker/reference-breaker.js';
import { refusalLabel, type Failure } from './failures.js';
import { seconds, type Attempt } from './reference-account.js';
import type { ReferenceCall } from './reference-call.js';
import type { ReferenceEvents } from './reference-events.js';
import { Tie } from './reference-world.js';

let permits = 0;

/** A failure of one attempt, and what the breaker makes of it. */
export interface Lost {
  readonly failure: Failure;
  readonly recorded: Recorded;
}

/** The doors of one attempt, the breaker's and that of the concurrency limit, and what it holds of both. */
export class ReferenceAdmission {
  /** The breaker's refusal that it met. */
  retryAfterMs: number | null | undefined;
  private hasPlace = false;
  /** What it did to the breaker, and nobody was told of yet. */
  private readonly changes: string[] = [];
  private permit: number | undefined;

  constructor(
    private readonly call: ReferenceCall,
    private readonly record: Attempt,
    private readonly events: ReferenceEvents,
  ) {}

  /** What the breaker says before anybody stands in line for a place. */
  refusal(): Lost | undefined {
    const { plan, world, lastReal } = this.call;
    const refusal = plan.usesBreaker ? world.breaker.refusal() : undefined;
    if (refusal === undefined) return undefined;
    const { state, reason, retryAfterSeconds } = refusal;
    this.retryAfterMs = retryAfterSeconds === null ? null : Math.round(retryAfterSeconds * 1e6) / 1e3;
    this.record.refusedFor = reason;
    const label = refusalLabel(state, reason, this.retryAfterMs, lastReal?.label);
    return { failure: { tag: 'refused', label, type: 'CircuitBreakerOpenError' }, recorded: 'ignored' };
  }

  admit(): Lost | undefined {
    const { plan, world } = this.call;
    if (!plan.usesBreaker) return undefined;
    const refused = this.refusal();
    if (refused !== undefined) return refused;
    this.permit = permits += 1;
    world.breaker.call(this.permit, plan.timeoutMs);
    this.noteChanges();
    this.tellChanges();
    return undefined;
  }

  /** Nothing where it has its place, `'late'` where the deadline was first. */
  *standInLine(): Generator<number, Lost | 'late' | undefined, void> {
    const { call, record } = this;
    const { world } = call;
    const { limit } = world;
    if (limit.handedOnAtMs === world.nowMs) throw new Tie('who is first in line');
    if (!limit.isFull) {
      limit.running += 1;
      this.hasPlace = true;
      return undefined;
    }
    if (!limit.hasRoomToWait) return this.full('queue_full');
    const sinceMs = world.nowMs;
    const untilMs = sinceMs + (world.scenario.limit.maxWaitMs ?? Infinity);
    const let_in = (): void => {
      this.hasPlace = true;
      call.goOn();
    };
    limit.line.push(let_in);
    if (untilMs === call.deadlineAtMs && untilMs !== Infinity) throw new Tie('two limits of one wait');
    try {
      yield Math.min(untilMs, call.deadlineAtMs);
    } finally {
      const waitedMs = world.nowMs - sinceMs;
      record.admission = { ...record.admission, admission_waited_seconds: seconds(waitedMs) };
      call.account.admissionWaitMs += waitedMs;
      const place = limit.line.indexOf(let_in);
      if (place >= 0) limit.line.splice(place, 1);
    }
    if (!this.hasPlace) {
      if (world.nowMs < call.deadlineAtMs) return this.full('waited_too_long');
      return 'late';
    }
    this.events.waited(world.nowMs - sinceMs);
    return undefined;
  }

  private full(reason: 'queue_full' | 'waited_too_long'): Lost {
    this.call.world.limit.refused += 1;
    this.record.admission = { ...this.record.admission, admission_refused: true };
    return {
      failure: { tag: 'full', label: `full(${reason})`, type: 'ConcurrencyLimitError' },
      recorded: 'ignored',
    };
  }

  /** Gives back what it holds, and the breaker learns how it went. */
  settle(recorded: Recorded): void {
    const { world } = this.call;
    if (this.permit !== undefined) world.breaker.settle(this.permit, recorded);
    this.permit = undefined;
    // Before the next one in line comes in, who may change it, too.
    this.noteChanges();
    this.leave();
  }

  /** The call ends meanwhile: nothing is known of the attempt. */
  drop(): void {
    if (this.permit !== undefined) this.call.world.breaker.settle(this.permit, 'cancelled');
    this.permit = undefined;
    this.leave();
  }

  tellChanges(): void {
    this.events.changes(this.changes.splice(0));
  }

  private leave(): void {
    if (!this.hasPlace) return;
    this.hasPlace = false;
    this.call.world.limit.leave(this.call.world.nowMs);
  }

  private noteChanges(): void {
    const { world } = this.call;
    const changes = world.breaker.changes.splice(0);
    world.changes.push(...changes);
    this.changes.push(...changes);
  }
}
