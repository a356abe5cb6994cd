import {
  checkDuration,
  checkFunction,
  checkOptions,
  checkTimeOptions,
  refuse,
  type TimeOptions,
} from '../errors/check.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import type { FailurePredicate } from '../errors/failure-filter.js';
import type { Duration } from '../time/duration.js';
import type { ShieldCache } from './cache.js';
import { PROFILES, type ShieldProfile, type ShieldProfileName } from './profiles.js';
import { compileTimeoutErrors, type TimeoutErrors } from './timeout-errors.js';

/** What a shield may be told, now and later. */
export interface ShieldConfig {
  /** Which failures say "too slow" or "too much", beside our own timeouts and the platform's. They alone are retried. */
  readonly timeoutErrors?: TimeoutErrors | undefined;
  /** Calls per second that are never exceeded, from the first one on. Default: none. */
  readonly maxRate?: number | undefined;
  /** The longest wait for admission. Default: the longest timeout of the profile (5 s, 60 s, 600 s). */
  readonly maxWait?: Duration | undefined;
  /** What a call does that finds no room: wait in line, or fail at once. Default `'wait'`. */
  readonly whenLimited?: 'wait' | 'reject' | undefined;
  /** Where the latest values are kept, for when the shield gives up. */
  readonly cache?: ShieldCache | undefined;
  /**
   * The key of a call in the cache, from its arguments. Default: the shield's name and a digest of operation and
   * arguments; none for functions that have no name of their own, which the cache does nothing for.
   */
  readonly cacheKey?: ((...args: any[]) => string) | undefined;
  /** What stands in when the shield gives up and the cache has nothing: called with the error, then the arguments. */
  readonly fallback?: ((error: unknown, ...args: any[]) => unknown) | undefined;
}

/** Options of the three factories: the profile is said by the factory. */
export interface ShieldOptions extends ShieldConfig, TimeOptions {
  /**
   * Where `RELPRIM_SHIELD_<NAME>_…` and `RELPRIM_SHIELD_…` are read: `true` for the environment of the process, an
   * object for another one, `false` for none. Default: the process's, where `RELPRIM_ENV_LOAD` is 1, true, yes or on.
   */
  readonly env?: boolean | Readonly<Record<string, string | undefined>> | undefined;
}

/** Options of a shield whose profile is an option, too. */
export interface ProfiledShieldOptions extends ShieldOptions {
  /** Default `'api'`. */
  readonly profile?: ShieldProfileName | undefined;
}

/** A configuration that has been checked, with the defaults filled in. */
export interface ShieldSettings {
  readonly profile: ShieldProfile;
  readonly isTimeout: FailurePredicate;
  readonly maxRate: number;
  readonly maxWaitMs: number;
  readonly whenLimited: 'wait' | 'reject';
  readonly cache: ShieldCache | undefined;
  readonly cacheKey: ShieldConfig['cacheKey'];
  readonly fallback: ShieldConfig['fallback'];
}

export const CONFIG_OPTIONS: readonly (keyof ShieldConfig)[] = [
  'timeoutErrors',
  'maxRate',
  'maxWait',
  'whenLimited',
  'cache',
  'cacheKey',
  'fallback',
];

/** @throws {ConfigurationError} for an option that does not exist, besides what {@link checkConfig} says. */
export function checkShieldOptions(options: ProfiledShieldOptions, alsoKnown: readonly string[]): void {
  checkOptions('shield', options, [...CONFIG_OPTIONS, 'env', 'clock', 'random', ...alsoKnown]);
  checkTimeOptions(options);
  const { env } = options;
  if (env === undefined || typeof env === 'boolean' || (typeof env === 'object' && (env as unknown) !== null))
    return;
  refuse('env', env, 'give true, false, or an object of variables');
}

/** @throws {ConfigurationError} for options that say another profile, too. */
export function withProfile(options: ShieldOptions, profile: ShieldProfileName): ProfiledShieldOptions {
  if ((options as ProfiledShieldOptions | null)?.profile === undefined) return { ...options, profile };
  throw new ConfigurationError({
    option: 'profile',
    problem: `is given where it is '${profile}' already`,
    cure: 'leave it away, or make the shield with new Shield(name, { profile })',
  });
}

export function checkProfile(profile: unknown): ShieldProfile {
  if (typeof profile === 'string' && Object.hasOwn(PROFILES, profile))
    return PROFILES[profile as ShieldProfileName];
  return refuse('profile', profile, "give 'internal', 'api' or 'slow'");
}

/** @throws {ConfigurationError} for a rate below the profile's lowest, or what is no cache, function or duration. */
export function checkConfig(config: ShieldConfig, profile: ShieldProfile): ShieldSettings {
  const { maxRate, maxWait, whenLimited = 'wait', cache, cacheKey, fallback } = config;
  if ((whenLimited as unknown) !== 'wait' && (whenLimited as unknown) !== 'reject')
    refuse('whenLimited', whenLimited, "give 'wait' or 'reject'");
  if (cacheKey !== undefined) checkFunction('cacheKey', cacheKey);
  if (fallback !== undefined) checkFunction('fallback', fallback);
  return {
    profile,
    isTimeout: compileTimeoutErrors(config.timeoutErrors),
    maxRate: maxRate === undefined ? Infinity : checkMaxRate(maxRate, profile),
    maxWaitMs:
      maxWait === undefined ? profile.longestTimeoutSeconds * 1_000 : checkDuration('maxWait', maxWait),
    whenLimited,
    cache: cache === undefined ? undefined : checkCache(cache),
    cacheKey,
    fallback,
  };
}

function checkMaxRate(maxRate: unknown, { name, lowestRate }: ShieldProfile): number {
  if (typeof maxRate !== 'number' || !(maxRate > 0))
    return refuse('maxRate', maxRate, 'give calls per second, above 0');
  if (maxRate >= lowestRate) return maxRate;
  throw new ConfigurationError({
    option: 'maxRate',
    problem: `is below the lowest rate of the profile '${name}', ${lowestRate} per second`,
    cure: 'give at least that, or another profile',
  });
}

function checkCache(cache: unknown): ShieldCache {
  const { get, set } = (cache ?? {}) as Partial<ShieldCache>;
  if (typeof get === 'function' && typeof set === 'function') return cache as ShieldCache;
  return refuse('cache', cache, 'give an object with get(key) and set(key, value)');
}
