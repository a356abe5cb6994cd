import type { RuleNumbers } from '../../lib/index.js';
import { naiveRuleOf, type Numbers } from './model-numbers.js';
import type { NaiveRule, Outcome } from './naive-rules.js';

const NOTHING: RuleNumbers = {
  failures: 0,
  calls: null,
  failureRate: null,
  slowCalls: null,
  slowCallRate: null,
};

/** Every outcome and every cost since the breaker last forgot them, counted anew each time. */
export class ReferenceLists {
  nowMs = 0;
  /** What `random` gives, until somebody sets it to something else. */
  chance = 0;
  protected outcomes: Outcome[] = [];
  protected costs: { readonly atMs: number; readonly amount: number }[] = [];

  constructor(public numbers: Numbers) {}

  counted(): RuleNumbers {
    return this.rule?.numbers(this.outcomes, this.nowMs) ?? NOTHING;
  }

  /** In the latest sixty parts of the period, and the one before them. */
  spentAt(ms: number): number {
    const counted = this.costs.filter(({ atMs }) => this.part(atMs) >= this.part(ms) - 60);
    return counted.reduce((sum, { amount }) => sum + amount, 0);
  }

  protected get rule(): NaiveRule | undefined {
    return naiveRuleOf(this.numbers);
  }

  /** When so much of the budget is free again that it is below its limit: found by trying one part after the other. */
  protected freeAtMs(): number {
    const { limit = Infinity } = this.numbers.budget ?? {};
    let ms = this.nowMs;
    while (this.spentAt(ms) >= limit) ms = (this.part(ms) + 1) * this.partMs;
    return ms;
  }

  protected recoveryAfter(failedProbes: number): number {
    const { initialMs, factor, maxMs, jitter } = this.numbers.recovery;
    const planned = Math.min(maxMs, initialMs * factor ** failedProbes);
    const [least, most] = [planned * (1 - jitter), Math.min(maxMs, planned * (1 + jitter))];
    return least + this.chance * (most - least);
  }

  private get partMs(): number {
    return (this.numbers.budget?.perMs ?? Infinity) / 60;
  }

  private part(ms: number): number {
    return Math.floor(ms / this.partMs);
  }
}

/** A change, as both sides write it. */
export function changeText(
  from: string,
  to: string,
  by: string,
  openedBy: string | null,
  failures: number,
  forced: boolean,
): string {
  return `${from} to ${to} by ${by}, ${openedBy}, ${failures} failures, ${forced ? 'held' : 'free'}`;
}
