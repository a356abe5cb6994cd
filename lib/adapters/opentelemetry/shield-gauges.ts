import type { BatchObservableResult } from '@opentelemetry/api';
import { SHIELD_NAME } from './attributes.js';
import { BoundedNames } from './bounded-names.js';
import type { Instruments } from './instruments.js';

/** What a shield says of itself at one moment; what is missing or `null` is not told. */
export interface ShieldReading {
  /** Whether it limits the rate at all; while it does not, no rate is told. */
  readonly engaged?: boolean | undefined;
  /** Calls a second that it lets through. */
  readonly rate?: number | null | undefined;
  readonly timeoutSeconds?: number | null | undefined;
  /** How many retries it allows now. */
  readonly budget?: number | null | undefined;
}

/** A shield, as its gauges see it. */
export interface WatchedShield {
  readonly name: string;
  snapshot(): ShieldReading;
}

/** Tells what shields say of themselves when metrics are read. */
export class ShieldGauges {
  private readonly sources = new Set<{ readonly list: () => Iterable<WatchedShield> }>();
  private readonly names: BoundedNames<string>;

  constructor(
    private readonly instruments: Instruments,
    mostNames: number,
  ) {
    this.names = new BoundedNames(mostNames, (name) => name);
  }

  /** Gives a function that ends it. */
  add(list: () => Iterable<WatchedShield>): () => void {
    const source = { list };
    this.sources.add(source);
    return () => void this.sources.delete(source);
  }

  observe(result: BatchObservableResult): void {
    const { shieldRate, shieldTimeout, shieldBudget } = this.instruments;
    for (const { list } of this.sources) {
      for (const shield of list()) {
        const { engaged, rate, timeoutSeconds, budget } = shield.snapshot();
        const own = { [SHIELD_NAME]: this.names.get(shield.name) };
        if (engaged !== false && isTold(rate)) result.observe(shieldRate, rate, own);
        if (isTold(timeoutSeconds)) result.observe(shieldTimeout, timeoutSeconds, own);
        if (isTold(budget)) result.observe(shieldBudget, budget, own);
      }
    }
  }

  stop(): void {
    this.sources.clear();
  }
}

function isTold(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
