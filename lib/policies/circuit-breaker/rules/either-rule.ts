import type { RuleNumbers, TripRule, TripRuleName } from './trip-rule.js';

/** Two rules, each of which may open: the first is asked first, and both count every outcome. */
export class EitherRule implements TripRule {
  constructor(
    private readonly first: TripRule,
    private readonly second: TripRule,
  ) {}

  onSuccess(nowMs: number, durationMs: number): TripRuleName | undefined {
    const tripped = this.first.onSuccess(nowMs, durationMs);
    return this.second.onSuccess(nowMs, durationMs) ?? tripped;
  }

  onFailure(nowMs: number, durationMs: number): TripRuleName | undefined {
    const tripped = this.first.onFailure(nowMs, durationMs);
    const other = this.second.onFailure(nowMs, durationMs);
    return tripped ?? other;
  }

  reset(): void {
    this.first.reset();
    this.second.reset();
  }

  shift(byMs: number): void {
    this.first.shift(byMs);
    this.second.shift(byMs);
  }

  isSlow(durationMs: number): boolean {
    return this.first.isSlow(durationMs) || this.second.isSlow(durationMs);
  }

  /** Those of the second one, but for the failures in a row. */
  numbers(nowMs: number): RuleNumbers {
    return { ...this.second.numbers(nowMs), failures: this.first.numbers(nowMs).failures };
  }
}
