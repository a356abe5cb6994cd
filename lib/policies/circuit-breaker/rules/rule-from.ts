import { checkCount, checkDuration, checkNumber, refuse } from '../../../errors/check.js';
import { ConfigurationError } from '../../../errors/configuration-error.js';
import type { Duration } from '../../../time/duration.js';
import { ConsecutiveFailures } from './consecutive-failures.js';
import { EitherRule } from './either-rule.js';
import { CountWindow, TimeWindow, type OutcomeWindow } from './outcome-window.js';
import { RateRule, type RateLimits } from './rate-rule.js';
import type { TripRule } from './trip-rule.js';

/** When a breaker opens. Several rules may stand beside each other: any of them opens. */
export interface TripRuleOptions {
  /** How many failures in a row open it. Default 5 where no other rule is given; least 1. */
  readonly failureThreshold?: number | undefined;
  /** The share of the calls in the window, above 0 and up to 1, that may not fail. */
  readonly failureRate?: number | undefined;
  /** A number: so many calls. Text: the calls of so long, `'60s'`. Default 20 calls. */
  readonly window?: number | Exclude<Duration, number> | undefined;
  /** With fewer calls in the window nobody judges. Default: the size of a window of calls, 10 in a window of time. */
  readonly minimumCalls?: number | undefined;
  /** A call that takes longer, in seconds or as text, is slow, even if it succeeds. */
  readonly slowCallSeconds?: Duration | undefined;
  /** The share of the calls in the window, above 0 and up to 1, that may not be slow. Needs `slowCallSeconds`. */
  readonly slowCallRate?: number | undefined;
}

export const TRIP_RULE_OPTIONS: readonly (keyof TripRuleOptions)[] = [
  'failureThreshold',
  'failureRate',
  'window',
  'minimumCalls',
  'slowCallSeconds',
  'slowCallRate',
];

/** Shared, as is what breakers have that need no window. */
const USUAL_WINDOW = { calls: 20 };
/** A byte a call. Whoever wants more of them wants a window of time. */
const LARGEST_WINDOW = 1_000_000;

/** The numbers of the rules of a breaker, checked. */
export interface TripRuleSettings {
  /** `undefined` without that rule. */
  readonly failureThreshold: number | undefined;
  readonly rates: RateLimits | undefined;
  /** Calls, or milliseconds; of a window of calls the size is set. */
  readonly window: { readonly calls: number } | { readonly ms: number };
}

/** Of a breaker that only its budget opens. */
const NO_RULE: TripRuleSettings = { failureThreshold: undefined, rates: undefined, window: USUAL_WINDOW };

export function checkTripRules(options: TripRuleOptions, hasOtherRule: boolean): TripRuleSettings {
  const { failureThreshold, failureRate, slowCallRate, slowCallSeconds } = options;
  const hasRates = failureRate !== undefined || slowCallRate !== undefined;
  need(options, 'slowCallRate', 'slowCallSeconds');
  need(options, 'slowCallSeconds', 'slowCallRate');
  if (!hasRates) {
    need(options, 'window', 'failureRate');
    need(options, 'minimumCalls', 'failureRate');
  }
  const window = options.window === undefined ? USUAL_WINDOW : checkWindow(options.window);
  const rates = hasRates
    ? {
        failureRate: failureRate === undefined ? Infinity : checkShare('failureRate', failureRate),
        slowCallRate: slowCallRate === undefined ? Infinity : checkShare('slowCallRate', slowCallRate),
        slowCallMs:
          slowCallSeconds === undefined ? Infinity : checkDuration('slowCallSeconds', slowCallSeconds),
        minimumCalls: checkMinimum(options.minimumCalls, window),
      }
    : undefined;
  const usual = hasRates || hasOtherRule ? undefined : 5;
  const threshold = failureThreshold === undefined ? usual : failureThreshold;
  if (threshold === undefined && rates === undefined) return NO_RULE;
  return {
    failureThreshold: threshold === undefined ? undefined : checkCount('failureThreshold', threshold, 1),
    rates,
    window,
  };
}

/** The rule of one breaker. `undefined` where nothing that its calls do opens it. */
export function ruleFrom({ failureThreshold, rates, window }: TripRuleSettings): TripRule | undefined {
  const inARow = failureThreshold === undefined ? undefined : new ConsecutiveFailures(failureThreshold);
  if (rates === undefined) return inARow;
  const rate = new RateRule(windowOf(window, rates.slowCallMs !== Infinity), rates);
  return inARow === undefined ? rate : new EitherRule(inARow, rate);
}

function windowOf(window: TripRuleSettings['window'], countsSlow: boolean): OutcomeWindow {
  return 'calls' in window ? new CountWindow(window.calls) : new TimeWindow(window.ms, countsSlow);
}

function checkWindow(given: number | string): TripRuleSettings['window'] {
  if (typeof given === 'string') return { ms: checkDuration('window', given) };
  if (checkCount('window', given, 1) <= LARGEST_WINDOW) return { calls: given };
  return refuse('window', given, `give at most ${LARGEST_WINDOW} calls, or a window of time such as '60s'`);
}

function checkMinimum(given: number | undefined, window: TripRuleSettings['window']): number {
  const calls = 'calls' in window ? window.calls : undefined;
  const minimum = checkCount('minimumCalls', given === undefined ? (calls ?? 10) : given, 1);
  if (calls === undefined || minimum <= calls) return minimum;
  throw new ConfigurationError({
    option: 'minimumCalls',
    problem: `is ${minimum}, and the window never holds more than ${calls} calls`,
    cure: 'give at most the size of the window',
  });
}

function checkShare(option: string, value: unknown): number {
  const share = checkNumber(option, value, 0, 1);
  if (share > 0) return share;
  throw new ConfigurationError({
    option,
    problem: 'is 0, which opens at every call',
    cure: 'give a share above 0 and up to 1',
  });
}

function need(options: TripRuleOptions, option: keyof TripRuleOptions, needed: keyof TripRuleOptions): void {
  if (options[option] === undefined || options[needed] !== undefined) return;
  throw new ConfigurationError({
    option,
    problem: `is given without ${needed}`,
    cure: `add ${needed}, or leave ${option} out`,
  });
}
