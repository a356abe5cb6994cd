import { callersSignal, type CallersSignal } from '../../attempt/callers-signal.js';
import { abortableSleep, runSoloAttempt } from '../../attempt/solo-attempt.js';
import type { Backoff } from '../../backoff/backoff.js';
import { ExponentialBackoff } from '../../backoff/exponential-backoff.js';
import {
  checkCount,
  checkFunction,
  checkOptions,
  checkTimeOptions,
  refuse,
  type TimeOptions,
} from '../../errors/check.js';
import { describeValue } from '../../errors/describe-value.js';
import {
  compileFilter,
  everyFailure,
  type FailureFilter,
  type FailurePredicate,
} from '../../errors/failure-filter.js';
import { isMisuse, MisuseError } from '../../errors/misuse-error.js';
import { systemClock, type Clock } from '../../time/clock.js';
import { secondsToMs } from '../../time/duration.js';
import { systemRandom, type Random } from '../../time/random.js';
import { isNonRetryable } from './non-retryable-error.js';
import { RetryError } from './retry-error.js';

/** Options of {@link RetryPolicy}. */
export interface RetryPolicyOptions extends TimeOptions {
  /** Tries in all, the first one included. Default 3. */
  readonly maxAttempts?: number | undefined;
  /** How long to wait before each retry. Default: {@link ExponentialBackoff} with its defaults. */
  readonly backoff?: Backoff | undefined;
  /** Which failures are worth another try. Default: all of them. */
  readonly retryOn?: FailureFilter | undefined;
}

/** It keeps nothing, so one is enough for everybody. */
const DEFAULT_BACKOFF = new ExponentialBackoff();

/** Decides whether a failed try is repeated, and after which delay. Used by operations, and alone with `run`. */
export class RetryPolicy {
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  /** @internal Nobody said which failures are worth another try. */
  readonly retriesEverything: boolean;
  private readonly retryOn: FailurePredicate;
  private readonly clock: Clock;
  private readonly random: Random | undefined;

  /** @throws {ConfigurationError} for `maxAttempts` below 1 or not whole, an empty filter, or no backoff. */
  constructor(options: RetryPolicyOptions = {}) {
    checkOptions('retry', options, ['maxAttempts', 'backoff', 'retryOn', 'clock', 'random']);
    checkTimeOptions(options);
    const { maxAttempts, backoff, retryOn, clock = systemClock, random } = options;
    this.maxAttempts = maxAttempts === undefined ? 3 : checkCount('maxAttempts', maxAttempts, 1);
    this.backoff = backoff === undefined ? DEFAULT_BACKOFF : checkBackoff(backoff);
    this.retryOn = retryOn === undefined ? everyFailure : compileFilter('retryOn', retryOn);
    this.retriesEverything = retryOn === undefined;
    this.clock = clock;
    this.random = random;
  }

  /** Whether this kind of failure is worth another try; it does not promise that one is left. */
  isRetryable(error: unknown): boolean {
    return !this.forbids(error) && this.retryOn(error);
  }

  /**
   * Whether this failure must not be repeated, whoever asks for it.
   * @internal
   */
  forbids(error: unknown): boolean {
    return isNonRetryable(error) || isMisuse(error);
  }

  /**
   * Milliseconds to wait after failed attempt `attemptNumber`.
   * @internal
   */
  delayMs(attemptNumber: number, random: Random = systemRandom): number {
    const seconds: unknown = this.backoff.delayForRetry(attemptNumber, this.random ?? random);
    if (typeof seconds === 'number' && seconds >= 0 && seconds < Infinity) return secondsToMs(seconds);
    throw new MisuseError(
      `backoff.delayForRetry(${attemptNumber}) must return seconds, 0 or more, and returned ${describeValue(seconds)}`,
    );
  }

  /**
   * Calls `fn` until it succeeds, fails in a way that is not retryable, or has been tried `maxAttempts` times.
   * @throws {RetryError} with the last failure as `cause` when the attempts are used up; any other failure as it is.
   */
  run<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): Promise<Awaited<R>> {
    return this.runWith({}, fn, ...args);
  }

  /** `run` that ends at once, with the signal's reason, when the caller aborts. */
  async runWith<A extends unknown[], R>(
    { signal }: { readonly signal?: AbortSignal | undefined },
    fn: (...args: A) => R,
    ...args: A
  ): Promise<Awaited<R>> {
    const caller = callersSignal(signal);
    try {
      return await this.repeat(caller, fn, args);
    } finally {
      caller.release();
    }
  }

  private async repeat<A extends unknown[], R>(
    { signal, costs: budget }: CallersSignal,
    fn: (...args: A) => R,
    args: A,
  ): Promise<Awaited<R>> {
    const { clock, maxAttempts } = this;
    let lastError: unknown;
    for (let number = 1; ; number += 1) {
      try {
        const options = { operationName: 'RetryPolicy.run', clock, number, lastError, signal, budget };
        return await runSoloAttempt(options, fn, args);
      } catch (error) {
        if (signal?.aborted === true) throw signal.reason;
        if (!this.isRetryable(error)) throw error;
        if (number >= maxAttempts) throw new RetryError(number, error);
        lastError = error;
      }
      await abortableSleep(clock, this.delayMs(number), signal);
    }
  }
}

function checkBackoff(backoff: unknown): Backoff {
  if (typeof backoff !== 'object' || backoff === null)
    return refuse('backoff', backoff, 'give a Backoff, such as new ExponentialBackoff()');
  checkFunction('backoff.delayForRetry', (backoff as Partial<Backoff>).delayForRetry);
  return backoff as Backoff;
}
