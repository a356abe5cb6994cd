import { currentAttempt } from '../attempt/current-attempt.js';
import { isBranded } from '../errors/brand.js';
import { unwrapped } from '../errors/failure-filter.js';
import { read } from '../errors/http-failure.js';
import type { FailureKind, GivenUp, ShieldDecisions, ShieldMove } from '../operation/shielding.js';
import { FallbackChainError } from '../policies/fallback/fallback-chain-error.js';
import { FallbackChain, type FallbackCandidate } from '../policies/fallback/fallback-chain.js';
import { isNonRetryable } from '../policies/retry/non-retryable-error.js';
import type { Clock } from '../time/clock.js';
import { deadlineQueue, type DeadlineQueue } from '../time/deadline-queue.js';
import type { Random } from '../time/random.js';
import { CacheKeeper } from './cache-keeper.js';
import { addNote, giveUpNote } from './give-up-note.js';
import type { Learned } from './learned.js';
import { MAX_ATTEMPTS } from './profiles.js';
import type { GateMove } from './rate-gate.js';
import type { ShieldSettings } from './shield-options.js';
import type { ShieldTuning } from './tuning.js';

/** What a state needs of its shield. */
export interface ShieldSurroundings {
  readonly name: string;
  readonly tuning: ShieldTuning;
  readonly clock: Clock;
  /** Whether operations of this name are one and the same. */
  tellsApart(operationName: string): boolean;
  warn(message: string): void;
}

/** Errors of ours that reach the caller at once: nothing was called, or nothing more is to be. */
const PASSING = [
  'CircuitBreakerOpenError',
  'IdempotencyConflictError',
  'IdempotencyInFlightError',
  'IdempotencyReentryError',
  'ResilienceShutdownError',
];
/** The limiter changes its rate at every success: more than one word a second helps nobody. */
const TELL_EVERY_MS = 1_000;

/** One configuration of a shield, with what it has learnt. A call takes one and keeps it to its end. */
export class ShieldState implements ShieldDecisions {
  readonly identity;
  readonly maxAttempts = MAX_ATTEMPTS;
  readonly gate;
  readonly recovery: FallbackChain | undefined;
  private readonly keeper: CacheKeeper | undefined;
  private queue: DeadlineQueue | undefined;
  private queueClock: Clock | undefined;
  private queueMs = 0;
  private toldMs = -Infinity;

  constructor(
    private readonly shield: ShieldSurroundings,
    readonly settings: ShieldSettings,
    readonly learned: Learned,
  ) {
    this.identity = Object.freeze({ name: shield.name, profile: settings.profile.name });
    this.gate = learned.gate;
    this.keeper = this.makeKeeper();
    this.recovery = this.makeRecovery();
  }

  timeoutMs(): number {
    return this.learned.estimator.estimate * 1_000;
  }

  timeouts(clock: Clock, timeoutMs: number): DeadlineQueue {
    if (this.queue !== undefined && this.queueMs === timeoutMs && this.queueClock === clock)
      return this.queue;
    this.queueMs = timeoutMs;
    this.queueClock = clock;
    return (this.queue = deadlineQueue(clock, timeoutMs));
  }

  kindOf(failure: unknown): Exclude<FailureKind, 'refused'> {
    if (unwrapped(failure).some(passes)) return 'passes';
    return !isNonRetryable(failure) && this.settings.isTimeout(failure) ? 'slow' : 'other';
  }

  succeeded(nowMs: number, latencyMs: number, retries: number): ShieldMove | undefined {
    const { estimator, budget, gate } = this.learned;
    estimator.record(latencyMs / 1_000);
    budget.refund(retries === 0 ? 1 : retries);
    return gate.engaged ? this.told(gate.succeed(nowMs), nowMs) : undefined;
  }

  slowed(nowMs: number, startMs: number, timedOutMs: number | undefined): ShieldMove | undefined {
    const { estimator, gate } = this.learned;
    if (timedOutMs !== undefined) estimator.recordTimeout(timedOutMs / 1_000);
    return this.told(gate.slowDown(nowMs, startMs), nowMs);
  }

  takeRetry(nowMs: number): boolean {
    return this.learned.budget.take(nowMs);
  }

  /** Full jitter: any delay up to a ceiling that doubles. */
  delayMs(attemptNumber: number, random: Random): number {
    const { backoffScaleSeconds, backoffCapSeconds } = this.settings.profile;
    const ceiling = Math.min(backoffScaleSeconds * 2 ** (attemptNumber - 1), backoffCapSeconds);
    return random() * ceiling * 1_000;
  }

  keep(operationName: string, args: readonly unknown[], value: unknown): void {
    this.keeper?.keep(operationName, args, value);
  }

  endingOf(chainFailure: unknown, failure: unknown): unknown {
    if (!(chainFailure instanceof FallbackChainError)) return chainFailure;
    // What is wrong with the cache is nothing to the caller; what the fallback says, it says for the call.
    return this.settings.fallback === undefined ? failure : chainFailure.failures.at(-1);
  }

  note(error: unknown, { reason, attempts, seconds }: GivenUp): void {
    addNote(error, giveUpNote(reason, attempts, this.maxAttempts, seconds, this.settings.profile.name));
  }

  private told(type: GateMove | undefined, nowMs: number): ShieldMove | undefined {
    if (type === undefined) return undefined;
    if (type === 'rate_changed' && nowMs - this.toldMs < TELL_EVERY_MS) return undefined;
    this.toldMs = nowMs;
    const { rate, wMax } = this.learned.gate;
    return { type, shieldName: this.identity.name, profile: this.identity.profile, rate, wMax };
  }

  private makeKeeper(): CacheKeeper | undefined {
    const { cache, cacheKey } = this.settings;
    if (cache === undefined) return undefined;
    const { shield } = this;
    return new CacheKeeper({
      shieldName: shield.name,
      cache,
      cacheKey,
      keysTellOperations: shield.tuning.keysTellOperations,
      tellsApart: (operationName) => shield.tellsApart(operationName),
      clock: () => shield.clock,
      warn: (message) => shield.warn(message),
    });
  }

  private makeRecovery(): FallbackChain | undefined {
    const { keeper } = this;
    const { fallback } = this.settings;
    const candidates: FallbackCandidate[] = [];
    if (keeper !== undefined) {
      const operation = (...args: unknown[]) => keeper.find(currentAttempt().operationName, args);
      candidates.push({ name: 'cache', operation });
    }
    if (fallback !== undefined) {
      candidates.push({
        name: 'fallback',
        operation(this: unknown, ...args: unknown[]) {
          return fallback.call(this, currentAttempt().lastError, ...args);
        },
      });
    }
    return candidates.length === 0 ? undefined : new FallbackChain(candidates);
  }
}

function passes(error: unknown): boolean {
  if (PASSING.some((name) => isBranded(error, name))) return true;
  return isBranded(error, 'OperationTimeoutError') && read(error as object, 'scope') === 'deadline';
}
