/** How fast a dependency is meant to be. */
export type ShieldProfileName = 'internal' | 'api' | 'slow';

/** What a profile fixes. Seconds, and calls per second. The figures are those of the original Shield. */
export interface ShieldProfile {
  readonly name: ShieldProfileName;
  /** Where the limiter begins, unless the measured rate was higher. */
  readonly initialRate: number;
  /** Calls that may go at once after a pause, while the limiter is on. */
  readonly burst: number;
  /** The limiter never asks for less. */
  readonly lowestRate: number;
  readonly initialTimeoutSeconds: number;
  readonly shortestTimeoutSeconds: number;
  readonly longestTimeoutSeconds: number;
  readonly backoffScaleSeconds: number;
  readonly backoffCapSeconds: number;
  /** Retries that may be taken before successes have to earn them back. */
  readonly budget: number;
}

export const PROFILES: Readonly<Record<ShieldProfileName, ShieldProfile>> = Object.freeze({
  internal: Object.freeze({
    name: 'internal',
    initialRate: 100,
    burst: 200,
    lowestRate: 1,
    initialTimeoutSeconds: 1,
    shortestTimeoutSeconds: 0.05,
    longestTimeoutSeconds: 5,
    backoffScaleSeconds: 0.5,
    backoffCapSeconds: 5,
    budget: 10,
  }),
  api: Object.freeze({
    name: 'api',
    initialRate: 2,
    burst: 5,
    lowestRate: 0.25,
    initialTimeoutSeconds: 10,
    shortestTimeoutSeconds: 0.5,
    longestTimeoutSeconds: 60,
    backoffScaleSeconds: 1,
    backoffCapSeconds: 30,
    budget: 20,
  }),
  slow: Object.freeze({
    name: 'slow',
    initialRate: 0.5,
    burst: 1,
    lowestRate: 0.05,
    initialTimeoutSeconds: 120,
    shortestTimeoutSeconds: 5,
    longestTimeoutSeconds: 600,
    backoffScaleSeconds: 2,
    backoffCapSeconds: 60,
    budget: 5,
  }),
});

/** Attempts of one call: the first one and three retries, in every profile. */
export const MAX_ATTEMPTS = 4;
