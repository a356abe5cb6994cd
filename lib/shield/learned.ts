import type { ShieldProfile } from './profiles.js';
import { RateGate } from './rate-gate.js';
import { RetryBudget } from './retry-budget.js';
import type { ShieldSettings } from './shield-options.js';
import { TimeoutEstimator } from './timeout-estimator.js';
import type { ShieldTuning } from './tuning.js';

/** What a shield has learnt of its dependency. It outlives a new configuration of the same profile. */
export interface Learned {
  readonly profile: ShieldProfile;
  readonly estimator: TimeoutEstimator;
  readonly budget: RetryBudget;
  readonly gate: RateGate;
}

/** Nothing yet. */
export function learnNothing(name: string, settings: ShieldSettings, tuning: ShieldTuning): Learned {
  const { profile } = settings;
  return {
    profile,
    estimator: new TimeoutEstimator(
      {
        initial: profile.initialTimeoutSeconds,
        shortest: profile.shortestTimeoutSeconds,
        longest: profile.longestTimeoutSeconds,
      },
      tuning,
    ),
    budget: new RetryBudget(profile.budget, (tuning.budgetRefillSeconds * 1_000) / profile.budget),
    gate: new RateGate(name, profile, tuning, settings),
  };
}
