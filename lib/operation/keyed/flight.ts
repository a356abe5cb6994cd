import type { OwnedKey } from '../../policies/idempotency/idempotency-store.js';
import type { Execution } from './execution.js';
import type { Landing } from './landing.js';
import { Waiting } from './waiting.js';

/** What those who wait for a flight are told: what came of it, or that one of them must ask for the key again. */
export type Arrival = Landing | undefined;

/** A key that somebody in this process is busy with: asks the store for it, or executes. */
export class Flight {
  /** How many callers are interested in what comes of it. */
  waiters = 1;
  /** What runs, once the key is owned. */
  execution: Execution | undefined = undefined;
  claim: OwnedKey | undefined = undefined;
  /** Settles when what runs has ended, before anything is kept. */
  run: Promise<unknown> | undefined = undefined;
  /** Nobody waits for it any more, and its key is free for the next. */
  isLeft = false;
  private hasLanded = false;
  private landing: Waiting<Arrival> | undefined = undefined;
  private seeking: Waiting<void> | undefined = undefined;

  constructor(readonly fingerprint: string | undefined) {}

  /** Whether it is not known yet whether this process will execute. */
  get isSeeking(): boolean {
    return this.execution === undefined;
  }

  get landed(): boolean {
    return this.hasLanded;
  }

  /** Those who wait for the flight to land. Made only for them. */
  get landings(): Waiting<Arrival> {
    return (this.landing ??= new Waiting());
  }

  /** Those who wait to know who executes. */
  get seekings(): Waiting<void> {
    return (this.seeking ??= new Waiting());
  }

  /** The key is ours, and this is what runs. */
  takeOff(execution: Execution, claim: OwnedKey): void {
    this.execution = execution;
    this.claim = claim;
    this.endSeeking();
  }

  /** `undefined` sends those who wait back to ask for the key again. */
  land(arrival: Arrival): void {
    this.end();
    this.landing?.resolve(arrival);
    this.landing = undefined;
  }

  /** Nobody could find out who executes. */
  fail(failure: unknown): void {
    this.end();
    this.landing?.reject(failure);
    this.landing = undefined;
  }

  private end(): void {
    this.hasLanded = true;
    this.endSeeking();
    this.execution = this.claim = this.run = undefined;
  }

  private endSeeking(): void {
    this.seeking?.resolve();
    this.seeking = undefined;
  }
}

/** The flights of one store, by the keys as the store knows them. */
export type Flights = Map<string, Flight>;
