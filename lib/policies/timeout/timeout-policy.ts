import { runSoloAttempt } from '../../attempt/solo-attempt.js';
import { checkDuration, checkOptions, checkTimeOptions, type TimeOptions } from '../../errors/check.js';
import { systemClock, type Clock } from '../../time/clock.js';
import { msToSeconds, type Duration } from '../../time/duration.js';
import { OperationTimeoutError } from './operation-timeout-error.js';

/** The longest time one try may take. Each try gets all of it; waits between tries and fallbacks are not counted. */
export class TimeoutPolicy {
  readonly seconds: number;
  readonly timeoutMs: number;
  /** @internal The number, where it was given without a unit. */
  readonly bareSeconds: number | undefined;
  private readonly clock: Clock;

  /** @throws {ConfigurationError} unless the timeout is a duration above zero. */
  constructor(timeout: Duration, options: Pick<TimeOptions, 'clock'> = {}) {
    checkOptions('timeout', options, ['clock']);
    checkTimeOptions(options);
    this.timeoutMs = checkDuration('timeout', timeout);
    this.seconds = msToSeconds(this.timeoutMs);
    this.bareSeconds = typeof timeout === 'number' ? timeout : undefined;
    this.clock = options.clock ?? systemClock;
  }

  /**
   * Calls `fn` once. At the deadline its `attemptSignal()` aborts, and what it does later is ignored.
   * @throws {OperationTimeoutError} when it did not end in time; its own failure as it is.
   */
  run<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): Promise<Awaited<R>> {
    return this.runWith({}, fn, ...args);
  }

  /** `run` that ends at once, with the signal's reason, when the caller aborts. */
  runWith<A extends unknown[], R>(
    { signal }: { readonly signal?: AbortSignal | undefined },
    fn: (...args: A) => R,
    ...args: A
  ): Promise<Awaited<R>> {
    const { clock, timeoutMs } = this;
    const timeoutError = (stallMs: number): OperationTimeoutError =>
      new OperationTimeoutError(this.seconds, 'attempt', { localStall: msToSeconds(stallMs) });
    return runSoloAttempt(
      { operationName: 'TimeoutPolicy.run', clock, number: 1, timeoutMs, timeoutError, signal },
      fn,
      args,
    );
  }
}
