import { ReferenceBreaker } from '../circuit-breaker/reference-breaker.js';
import type { Limit, Scenario } from './scenario.js';

/** Thrown where the contract does not say what comes first, as two things fall due in one millisecond. */
export class Tie extends Error {}

/** What a process waits for: a moment, or with `Infinity` until somebody wakes it. */
export type Waits = Generator<number, void, void>;

/** Something that goes on in time, and may be cut off where it waits. */
export interface Process {
  readonly shares: boolean;
  readonly steps: Waits;
  wakesAtMs: number;
  isOver: boolean;
}

interface Alarm {
  readonly atMs: number;
  readonly owner: Process;
  readonly ring: () => void;
}

/**
 * Time, and what calls share. Everything falls due at a known millisecond, one thing after the other; two things that
 * could disturb each other in one millisecond are a {@link Tie}.
 */
export class ReferenceWorld {
  nowMs = 0;
  readonly breaker: ReferenceBreaker;
  readonly limit: ReferenceLimit;
  /** What became of the breaker, as {@link changeText} writes it. */
  readonly changes: string[] = [];
  private processes: Process[] = [];
  private alarms: Alarm[] = [];

  constructor(readonly scenario: Scenario) {
    this.breaker = new ReferenceBreaker(scenario.breaker);
    this.limit = new ReferenceLimit(scenario.limit);
  }

  begin(steps: Waits, shares: boolean): Process {
    const process: Process = { shares, steps, wakesAtMs: Infinity, isOver: false };
    this.processes.push(process);
    return process;
  }

  /** Lets it go on, or cuts it off with an error. */
  resume(process: Process, error?: unknown): void {
    if (process.isOver) return;
    process.wakesAtMs = Infinity;
    const { done, value } = error === undefined ? process.steps.next() : process.steps.throw(error);
    if (done === true) process.isOver = true;
    else process.wakesAtMs = value;
  }

  /** Does something later on, for as long as its owner is at work; `isDue` says whether it still matters. */
  at(atMs: number, owner: Process, ring: () => void): void {
    this.alarms.push({ atMs, owner, ring });
  }

  /** Lets time pass, with everything that falls due on the way. */
  passTo(endMs: number): void {
    for (;;) {
      this.alarms = this.alarms.filter(({ owner }) => !owner.isOver);
      const waiting = this.processes.filter(({ isOver }) => !isOver);
      const nextMs = Math.min(
        ...waiting.map(({ wakesAtMs }) => wakesAtMs),
        ...this.alarms.map(({ atMs }) => atMs),
      );
      if (nextMs > endMs) break;
      this.setTime(nextMs);
      const wakers = waiting.filter(({ wakesAtMs }) => wakesAtMs === nextMs);
      const ringing = this.alarms.filter(({ atMs }) => atMs === nextMs);
      const owners = [...wakers, ...ringing.map(({ owner }) => owner)];
      if (new Set(owners).size < owners.length || owners.filter(({ shares }) => shares).length > 1)
        throw new Tie(`two things at ${nextMs}`);
      this.alarms = this.alarms.filter(({ atMs }) => atMs !== nextMs);
      for (const waker of wakers) this.resume(waker);
      for (const { ring } of ringing) ring();
    }
    this.setTime(endMs);
  }

  private setTime(ms: number): void {
    this.breaker.wallMs += ms - this.nowMs;
    this.nowMs = this.breaker.nowMs = ms;
  }
}

/** Who runs and who waits. */
export class ReferenceLimit {
  running = 0;
  refused = 0;
  /** When a place was last handed on: whoever else comes in that millisecond may be before or after that. */
  handedOnAtMs = -1;
  /** Called with their place, first come, first served. */
  readonly line: (() => void)[] = [];

  constructor(private readonly numbers: Limit) {}

  get isFull(): boolean {
    return this.running >= this.numbers.maxConcurrent;
  }

  get hasRoomToWait(): boolean {
    return this.line.length < this.numbers.queueSize;
  }

  leave(nowMs: number): void {
    this.running -= 1;
    const next = this.line.shift();
    if (next === undefined) return;
    this.handedOnAtMs = nowMs;
    this.running += 1;
    next();
  }
}
