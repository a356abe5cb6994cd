import { checkCount, checkDuration, checkOptions } from '../../errors/check.js';
import type { Duration } from '../../time/duration.js';
import type { Permit } from './circuit-breaker-state.js';

/** How a half-open breaker finds out whether the dependency is back. */
export interface ProbeOptions {
  /** How many probes may run at a time; `Infinity` lets all calls pass until one fails. Default 1. */
  readonly concurrent?: number | undefined;
  /** How many of them must succeed, in a row, before it closes. Default 1. */
  readonly successes?: number | undefined;
  /** A probe that has not ended by then has lost its place. Default: the attempt's timeout, or the recovery time. */
  readonly lease?: Duration | undefined;
}

export interface ProbeSettings {
  readonly concurrent: number;
  readonly successes: number;
  readonly leaseMs: number | undefined;
}

/** Shared, as most breakers have them. */
const USUAL: ProbeSettings = { concurrent: 1, successes: 1, leaseMs: undefined };

export function checkProbes(given?: ProbeOptions): ProbeSettings {
  if (given === undefined) return USUAL;
  checkOptions('probes', given, ['concurrent', 'successes', 'lease']);
  const { concurrent = 1, successes = 1, lease } = given;
  return {
    concurrent: concurrent === Infinity ? Infinity : checkCount('probes.concurrent', concurrent, 1),
    successes: checkCount('probes.successes', successes, 1),
    leaseMs: lease === undefined ? undefined : checkDuration('probes.lease', lease),
  };
}

/** The probes of one half-open period. Without a limit nobody needs a place, so none is kept. */
export class Probes {
  private readonly places: Permit[] = [];
  private running = 0;
  private succeeded = 0;

  constructor(private readonly settings: ProbeSettings) {}

  get inFlight(): number {
    return this.running;
  }

  /** Whether another one may begin; one whose lease has ended makes room. */
  hasRoom(nowMs: number): boolean {
    if (this.places.length < this.settings.concurrent) return true;
    return this.places.some(({ leaseEndMs }) => nowMs > leaseEndMs);
  }

  /** Whether any keeps its place. Without a limit none has one. */
  isBusy(nowMs: number): boolean {
    return this.places.some(({ leaseEndMs }) => nowMs <= leaseEndMs);
  }

  begin(permit: Permit, nowMs: number): void {
    this.running += 1;
    if (this.settings.concurrent === Infinity) return;
    if (this.places.length >= this.settings.concurrent) {
      const lapsed = this.places.findIndex(({ leaseEndMs }) => nowMs > leaseEndMs);
      if (lapsed >= 0) this.places.splice(lapsed, 1);
      this.running -= 1;
    }
    this.places.push(permit);
  }

  /** Gives the place back. False for one that has lost it: what comes of that one decides nothing. */
  end(permit: Permit): boolean {
    if (this.settings.concurrent !== Infinity) {
      const place = this.places.indexOf(permit);
      if (place < 0) return false;
      this.places.splice(place, 1);
    }
    this.running -= 1;
    return true;
  }

  /** One more has succeeded; true when that is enough. */
  noteSuccess(): boolean {
    this.succeeded += 1;
    return this.succeeded >= this.settings.successes;
  }

  shift(byMs: number): void {
    for (const permit of this.places) permit.leaseEndMs += byMs;
  }

  reset(): void {
    this.places.length = this.running = this.succeeded = 0;
  }
}
