/** What a rule is called in events, snapshots and refusals. */
export type TripRuleName = 'consecutive_failures' | 'failure_rate' | 'slow_call_rate';

/** What a rule has counted. `null` where it does not count that. */
export interface RuleNumbers {
  readonly failures: number;
  /** Calls that the numbers are about. */
  readonly calls: number | null;
  /** From 0 to 1; `null` without calls, too. */
  readonly failureRate: number | null;
  readonly slowCalls: number | null;
  readonly slowCallRate: number | null;
}

/** Decides, from the outcomes of the calls of a closed breaker, when it opens. It knows nothing of states. */
export interface TripRule {
  /** A call ended at this moment (monotonic milliseconds), after this time: the name of the rule where that is one too many. */
  onSuccess(nowMs: number, durationMs: number): TripRuleName | undefined;
  onFailure(nowMs: number, durationMs: number): TripRuleName | undefined;
  /** The breaker closed: what was before does not count any more. */
  reset(): void;
  /** Time goes on by another clock, whose moments are these milliseconds later. */
  shift(byMs: number): void;
  /** Whether a call was so slow that it counts against the dependency, though it succeeded. */
  isSlow(durationMs: number): boolean;
  numbers(nowMs: number): RuleNumbers;
}
