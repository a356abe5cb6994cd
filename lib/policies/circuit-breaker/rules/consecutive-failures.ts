import type { RuleNumbers, TripRule, TripRuleName } from './trip-rule.js';

/** Opens after so many failures without a success between them. */
export class ConsecutiveFailures implements TripRule {
  private failures = 0;

  constructor(private readonly threshold: number) {}

  onSuccess(): undefined {
    this.failures = 0;
  }

  onFailure(): TripRuleName | undefined {
    this.failures += 1;
    return this.failures >= this.threshold ? 'consecutive_failures' : undefined;
  }

  reset(): void {
    this.failures = 0;
  }

  shift(): void {}

  isSlow(): boolean {
    return false;
  }

  numbers(): RuleNumbers {
    return { failures: this.failures, calls: null, failureRate: null, slowCalls: null, slowCallRate: null };
  }
}
