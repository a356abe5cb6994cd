import { errorType } from '../../report/execution-error.js';
import type { CircuitBreakerTransition } from './circuit-breaker-state.js';

/** Told of changes of a circuit breaker. What it throws or rejects with harms nobody, and is warned about once. */
export type TransitionListener = (transition: CircuitBreakerTransition) => unknown;

/** More changes than this, each made by a listener that was told of another, mean that they never end. */
const MOST_CHANGES = 1_000;

/** Those who want to know of the changes of one circuit breaker. */
export class TransitionListeners {
  private readonly entries = new Set<{ readonly listener: TransitionListener }>();
  private readonly untold: CircuitBreakerTransition[] = [];
  private isTelling = false;

  /** Gives a function that ends it. The same listener may be added twice. */
  add(listener: TransitionListener): () => void {
    const entry = { listener };
    this.entries.add(entry);
    return () => void this.entries.delete(entry);
  }

  /** Everybody hears of one change before anybody hears of the next, also when a listener makes the next one. */
  tell(transition: CircuitBreakerTransition): void {
    this.untold.push(transition);
    if (this.isTelling) return;
    this.isTelling = true;
    for (let told = 0; this.untold.length > 0; told += 1) {
      if (told < MOST_CHANGES) this.tellAll(this.untold.shift() as CircuitBreakerTransition);
      else this.giveUp(transition.breakerName);
    }
    this.isTelling = false;
  }

  private giveUp(breakerName: string): void {
    this.untold.length = 0;
    warn(
      `listeners to circuit breaker '${breakerName}' change it for ever; they are told no further for now`,
    );
  }

  private tellAll(transition: CircuitBreakerTransition): void {
    for (const entry of [...this.entries]) if (this.entries.has(entry)) tellOne(entry.listener, transition);
  }
}

function warn(message: string): void {
  process.emitWarning(message, { code: 'RELPRIM' });
}

const broken = new WeakSet<TransitionListener>();

function tellOne(listener: TransitionListener, transition: CircuitBreakerTransition): void {
  const complain = (error: unknown): void => {
    if (broken.has(listener)) return;
    broken.add(listener);
    warn(`a listener to circuit breaker '${transition.breakerName}' failed with ${errorType(error)}`);
  };
  try {
    const told = listener(transition);
    if (told instanceof Promise) told.catch(complain);
  } catch (error) {
    complain(error);
  }
}
