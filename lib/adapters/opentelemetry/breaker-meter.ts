import type { BatchObservableResult } from '@opentelemetry/api';
import type { ProbedBreaker } from '../../events/call-probe.js';
import type { CircuitBreaker } from '../../policies/circuit-breaker/circuit-breaker.js';
import type { CircuitBreakerState } from '../../policies/circuit-breaker/circuit-breaker-state.js';
import { BREAKER_CHANGED_BY, BREAKER_NAME, BREAKER_REASON, BREAKER_STATE } from './attributes.js';
import { BoundedNames } from './bounded-names.js';
import type { Instruments } from './instruments.js';

type Counts = Record<CircuitBreakerState, number>;

interface Watched {
  /** Breakers of single instances go with them. */
  readonly breaker: WeakRef<CircuitBreaker>;
  readonly stop: () => void;
}

/** Code that makes breakers without end is no reason to remember them all. */
const MOST_BREAKERS = 10_000;

/** Measures the circuit breakers that calls meet, and those it is shown. All keys of one breaker have its name. */
export class BreakerMeter {
  private readonly names: BoundedNames<string>;
  private readonly known = new WeakSet<ProbedBreaker>();
  private watched: Watched[] = [];
  private latest: ProbedBreaker | undefined;

  constructor(
    private readonly instruments: Instruments,
    mostNames: number,
  ) {
    this.names = new BoundedNames(mostNames, (name) => name);
  }

  /** Nearly always the same as the last time, or known. */
  meet(breaker: ProbedBreaker): void {
    if (breaker === this.latest) return;
    this.latest = breaker;
    const root = rootOf(breaker);
    if (this.known.has(root)) return;
    this.known.add(root);
    this.watch(root as CircuitBreaker);
  }

  refuse(breaker: ProbedBreaker, reason: string): void {
    const attributes = { [BREAKER_NAME]: this.names.get(rootOf(breaker).name), [BREAKER_REASON]: reason };
    this.instruments.breakerRejections.add(1, attributes);
  }

  /** How many breakers of each name are in which state. */
  observe(result: BatchObservableResult): void {
    const byName = new Map<string, Counts>();
    this.watched = this.watched.filter(({ breaker }) => {
      const there = breaker.deref();
      if (there !== undefined) this.count(there, byName);
      return there !== undefined;
    });
    for (const [name, counts] of byName)
      for (const [state, count] of Object.entries(counts))
        result.observe(this.instruments.breakerState, count, {
          [BREAKER_NAME]: name,
          [BREAKER_STATE]: state,
        });
  }

  stop(): void {
    for (const { stop } of this.watched.splice(0)) stop();
    this.latest = undefined;
  }

  private watch(breaker: CircuitBreaker): void {
    // A test may have put something simpler in a breaker's place.
    if (typeof (breaker as Partial<CircuitBreaker>).onTransition !== 'function') return;
    if (this.watched.length >= MOST_BREAKERS) return;
    const { breakerTransitions } = this.instruments;
    const name = this.names.get(breaker.name);
    const stop = breaker.onTransition(({ from, to, by }) => {
      // An operator may only have taken hold of it.
      if (from === to) return;
      breakerTransitions.add(1, { [BREAKER_NAME]: name, [BREAKER_STATE]: to, [BREAKER_CHANGED_BY]: by });
    });
    this.watched.push({ breaker: new WeakRef(breaker), stop });
  }

  private count(breaker: CircuitBreaker, byName: Map<string, Counts>): void {
    const name = this.names.get(breaker.name);
    const counts = byName.get(name) ?? { closed: 0, open: 0, half_open: 0 };
    byName.set(name, counts);
    const keyed = breaker.keyedBreakers();
    for (const one of keyed.length > 0 ? keyed : [breaker]) counts[one.snapshot().state] += 1;
  }
}

function rootOf(breaker: ProbedBreaker): ProbedBreaker {
  return breaker.root ?? breaker;
}
