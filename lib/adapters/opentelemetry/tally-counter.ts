import type { Attributes, Meter, MetricOptions, ObservableResult } from '@opentelemetry/api';

/** One sum of a counter. */
export interface Tally {
  value: number;
  readonly attributes: Attributes;
}

/** Of each meter the counters by their names: two that are told of one thing must add up, and not hide each other. */
const ofMeters = new WeakMap<Meter, Map<string, TallyCounter>>();

/**
 * A counter whose sums are kept here, and read when metrics are. Adding to one is nearly free, while an SDK needs a
 * microsecond to find a sum by its attributes.
 */
export class TallyCounter {
  private readonly tallies = new Map<string, Tally>();

  private constructor(meter: Meter, name: string, options: MetricOptions) {
    meter.createObservableCounter(name, options).addCallback((result) => this.observe(result));
  }

  static of(meter: Meter, name: string, options: MetricOptions): TallyCounter {
    let counters = ofMeters.get(meter);
    if (counters === undefined) ofMeters.set(meter, (counters = new Map<string, TallyCounter>()));
    let counter = counters.get(name);
    if (counter === undefined) counters.set(name, (counter = new TallyCounter(meter, name, options)));
    return counter;
  }

  /** The sum with these attributes. Keep it: it stays the same. */
  tally(attributes: Attributes): Tally {
    const key = JSON.stringify(Object.entries(attributes).sort());
    let tally = this.tallies.get(key);
    if (tally === undefined) this.tallies.set(key, (tally = { value: 0, attributes }));
    return tally;
  }

  private observe(result: ObservableResult): void {
    for (const { value, attributes } of this.tallies.values())
      if (value > 0) result.observe(value, attributes);
  }
}
