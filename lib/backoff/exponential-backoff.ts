import {
  checkCount,
  checkDurationOrZero,
  checkFunction,
  checkNumber,
  checkOptions,
  refuse,
} from '../errors/check.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import { msToSeconds, type Duration } from '../time/duration.js';
import { systemRandom, type Random } from '../time/random.js';
import type { Backoff } from './backoff.js';

/**
 * How chance spreads the delays, so that many callers do not come back together. With `d` the plain delay:
 * - `true`: anywhere from 0 to `d`;
 * - `'equal'`: from half of `d` to `d`;
 * - `'decorrelated'`: from the base delay to three times `d`, never above the maximum;
 * - `{ percent: 10 }`: `d` ± 10 %, never above the maximum;
 * - `false`: exactly `d`.
 */
export type Jitter = boolean | 'equal' | 'decorrelated' | { readonly percent: number };

/** Options of {@link ExponentialBackoff}. */
export interface ExponentialBackoffOptions {
  /** The delay before the first retry. Default 0.1 s; 0 means no delay at all. */
  readonly baseDelay?: Duration | undefined;
  /** No delay is longer, jitter included. Default 10 s; must not be below `baseDelay`. */
  readonly maxDelay?: Duration | undefined;
  /** Growth from one retry to the next. Default 2, least 1. */
  readonly multiplier?: number | undefined;
  /** Default `true`. */
  readonly jitter?: Jitter | undefined;
  /** A source of chance of its own. Default: that of the call. */
  readonly random?: Random | undefined;
}

/** Delays that grow by a factor up to a maximum: `min(baseDelay · multiplier^(n−1), maxDelay)`, then jitter. */
export class ExponentialBackoff implements Backoff {
  readonly baseDelaySeconds: number;
  readonly maxDelaySeconds: number;
  readonly multiplier: number;
  readonly jitter: Jitter;
  /** @internal What was given as a number, without a unit. */
  readonly bareDelays: Readonly<Record<'baseDelay' | 'maxDelay', number | undefined>>;
  private readonly random: Random | undefined;

  /** @throws {ConfigurationError} for delays below 0, a multiplier below 1, or a base above the maximum. */
  constructor(options: ExponentialBackoffOptions = {}) {
    checkOptions('backoff', options, ['baseDelay', 'maxDelay', 'multiplier', 'jitter', 'random']);
    const { baseDelay = 0.1, maxDelay = 10, multiplier = 2, jitter = true, random } = options;
    this.baseDelaySeconds = msToSeconds(checkDurationOrZero('baseDelay', baseDelay));
    this.maxDelaySeconds = msToSeconds(checkDurationOrZero('maxDelay', maxDelay));
    this.multiplier = checkNumber('multiplier', multiplier, 1);
    this.jitter = checkJitter(jitter);
    this.random = random === undefined ? undefined : checkFunction('random', random);
    this.bareDelays = { baseDelay: bare(options.baseDelay), maxDelay: bare(options.maxDelay) };
    if (this.baseDelaySeconds > this.maxDelaySeconds) {
      const problem = `is ${this.baseDelaySeconds} s, above maxDelay (${this.maxDelaySeconds} s)`;
      throw new ConfigurationError({ option: 'baseDelay', problem, cure: 'lower it, or raise maxDelay' });
    }
  }

  delayForRetry(retryNumber: number, random: Random = systemRandom): number {
    checkCount('retryNumber', retryNumber, 1);
    const plain = this.plainDelay(retryNumber);
    if (plain === 0 || this.jitter === false) return plain;
    return Math.min(this.maxDelaySeconds, this.spread(plain, (this.random ?? random)()));
  }

  /** The power may overflow to infinity, which the maximum caps; a base of 0 stays 0 instead of becoming NaN. */
  private plainDelay(retryNumber: number): number {
    if (this.baseDelaySeconds === 0) return 0;
    return Math.min(this.baseDelaySeconds * this.multiplier ** (retryNumber - 1), this.maxDelaySeconds);
  }

  private spread(plain: number, chance: number): number {
    const { jitter, baseDelaySeconds: base } = this;
    if (typeof jitter === 'object') return plain * (1 + (jitter.percent / 100) * (2 * chance - 1));
    if (jitter === 'equal') return plain / 2 + (plain / 2) * chance;
    // AWS's decorrelated jitter draws from three times the previous draw, which can collapse to the base again and
    // again. Drawing from three times the plain delay keeps its spread, needs no memory and always backs off.
    if (jitter === 'decorrelated') return base + (Math.min(3 * plain, this.maxDelaySeconds) - base) * chance;
    return plain * chance;
  }
}

function bare(delay: Duration | undefined): number | undefined {
  return typeof delay === 'number' ? delay : undefined;
}

function checkJitter(jitter: unknown): Jitter {
  if (typeof jitter === 'boolean' || jitter === 'equal' || jitter === 'decorrelated') return jitter;
  if (typeof jitter === 'object' && jitter !== null && 'percent' in jitter) {
    return Object.freeze({ percent: checkNumber('jitter.percent', jitter.percent, 0, 100) });
  }
  return refuse('jitter', jitter, "give true, false, 'equal', 'decorrelated' or { percent: 10 }");
}
