import type { OutcomeWindow } from './outcome-window.js';
import type { RuleNumbers, TripRule, TripRuleName } from './trip-rule.js';

/** Shares of the calls in a window from which on they are too many. `Infinity`: no share is. */
export interface RateLimits {
  readonly failureRate: number;
  readonly slowCallRate: number;
  /** A call that took longer is slow. */
  readonly slowCallMs: number;
  /** With fewer calls in the window nobody judges. */
  readonly minimumCalls: number;
}

/** Opens when too large a share of the latest calls failed, or was slow. */
export class RateRule implements TripRule {
  constructor(
    private readonly window: OutcomeWindow,
    private readonly limits: RateLimits,
  ) {}

  onSuccess(nowMs: number, durationMs: number): TripRuleName | undefined {
    this.window.add(nowMs, false, durationMs > this.limits.slowCallMs);
    return this.judge();
  }

  onFailure(nowMs: number, durationMs: number): TripRuleName | undefined {
    this.window.add(nowMs, true, durationMs > this.limits.slowCallMs);
    return this.judge();
  }

  reset(): void {
    this.window.reset();
  }

  shift(byMs: number): void {
    this.window.shift(byMs);
  }

  isSlow(durationMs: number): boolean {
    return durationMs > this.limits.slowCallMs;
  }

  numbers(nowMs: number): RuleNumbers {
    this.window.advance(nowMs);
    const { calls, failures, slowCalls } = this.window;
    const countsSlow = this.limits.slowCallMs !== Infinity;
    const share = (count: number): number | null => (calls === 0 ? null : count / calls);
    return {
      failures,
      calls,
      failureRate: share(failures),
      slowCalls: countsSlow ? slowCalls : null,
      slowCallRate: countsSlow ? share(slowCalls) : null,
    };
  }

  /** Shares are divided, not multiplied out: 7 of 100 is 0.07, while 100 times 0.07 is a little more than 7. */
  private judge(): TripRuleName | undefined {
    const { calls, failures, slowCalls } = this.window;
    const { failureRate, slowCallRate, minimumCalls } = this.limits;
    if (calls < minimumCalls) return undefined;
    if (failures / calls >= failureRate) return 'failure_rate';
    return slowCalls / calls >= slowCallRate ? 'slow_call_rate' : undefined;
  }
}
