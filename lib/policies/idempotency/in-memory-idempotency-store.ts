import { checkCount, checkOptions, checkTimeOptions, type TimeOptions } from '../../errors/check.js';
import { systemClock, type Clock } from '../../time/clock.js';
import { secondsToMs } from '../../time/duration.js';
import type { Claim, ClaimRequest, IdempotencyStore, KeptOutcome, OwnedKey } from './idempotency-store.js';

/** Options of {@link InMemoryIdempotencyStore}. */
export interface InMemoryIdempotencyStoreOptions extends Pick<TimeOptions, 'clock'> {
  /** The most outcomes that are kept; of more, the one goes that was asked for least recently. Default 10,000. */
  readonly maxEntries?: number | undefined;
}

/** Not changed once it is kept, and its own answer to whoever asks. */
interface Entry {
  readonly state: 'done';
  readonly fingerprint: string | undefined;
  readonly outcome: KeptOutcome;
  readonly expiresAtMs: number;
}

/** How many entries are looked at for each one that is added: more than one, so that the expired ones are caught up with. */
const SWEPT_PER_ENTRY = 2;

/**
 * Keeps outcomes in this process. It has no timers: what has expired goes as others come, or when asked to. Without a
 * clock of its own it goes by that of the operations that use it.
 */
export class InMemoryIdempotencyStore implements IdempotencyStore {
  readonly maxEntries: number;
  private readonly ownClock: Clock | undefined;
  private latestClock: Clock = systemClock;
  /** In the order in which they were asked for. */
  private readonly entries = new Map<string, Entry>();
  private sweep: MapIterator<[string, Entry]> | undefined;
  private evicted = 0;

  /** @throws {ConfigurationError} when `maxEntries` is no whole number of 1 or more. */
  constructor(options: InMemoryIdempotencyStoreOptions = {}) {
    checkOptions('InMemoryIdempotencyStore', options, ['maxEntries', 'clock']);
    checkTimeOptions(options);
    this.maxEntries = checkCount('maxEntries', options.maxEntries ?? 10_000, 1);
    this.ownClock = options.clock;
  }

  claim(key: string, { fingerprint, clock }: ClaimRequest): Claim {
    const entry = this.entries.get(key);
    if (entry === undefined) return new OwnedEntry(this, key, fingerprint, clock);
    this.entries.delete(key);
    if (entry.expiresAtMs <= this.nowMs(clock)) return new OwnedEntry(this, key, fingerprint, clock);
    this.entries.set(key, entry);
    return entry;
  }

  /** How many outcomes are kept that have not expired. */
  entryCount(): number {
    this.purgeExpired();
    return this.entries.size;
  }

  /** How many outcomes had to go before they expired, as there were more than `maxEntries`. */
  get evictedCount(): number {
    return this.evicted;
  }

  /** Removes what has expired; gives how many that were. */
  purgeExpired(): number {
    const nowMs = this.nowMs(this.latestClock);
    const before = this.entries.size;
    for (const [key, { expiresAtMs }] of this.entries) if (expiresAtMs <= nowMs) this.entries.delete(key);
    return before - this.entries.size;
  }

  /** @internal */
  keep(
    key: string,
    fingerprint: string | undefined,
    outcome: KeptOutcome,
    ttlSeconds: number,
    clock: Clock,
  ): void {
    const nowMs = this.nowMs(clock);
    this.entries.delete(key);
    this.entries.set(key, {
      state: 'done',
      fingerprint,
      outcome,
      expiresAtMs: nowMs + secondsToMs(ttlSeconds),
    });
    this.sweepSome(nowMs);
    if (this.entries.size > this.maxEntries) this.evict(nowMs);
  }

  private nowMs(clock: Clock): number {
    this.latestClock = this.ownClock ?? clock;
    return this.latestClock.monotonicMs();
  }

  private sweepSome(nowMs: number): void {
    for (let left = SWEPT_PER_ENTRY; left > 0; left -= 1) {
      this.sweep ??= this.entries.entries();
      const next = this.sweep.next();
      if (next.done === true) this.sweep = undefined;
      else if (next.value[1].expiresAtMs <= nowMs) this.entries.delete(next.value[0]);
    }
  }

  private evict(nowMs: number): void {
    const oldest = this.entries.entries().next();
    if (oldest.done === true) return;
    const [key, { expiresAtMs }] = oldest.value;
    this.entries.delete(key);
    if (expiresAtMs > nowMs) this.evicted += 1;
  }
}

class OwnedEntry implements OwnedKey {
  constructor(
    private readonly store: InMemoryIdempotencyStore,
    private readonly key: string,
    private readonly fingerprint: string | undefined,
    private readonly clock: Clock,
  ) {}

  get state() {
    return 'owned' as const;
  }

  complete(outcome: KeptOutcome, ttlSeconds: number): void {
    this.store.keep(this.key, this.fingerprint, outcome, ttlSeconds, this.clock);
  }

  /** Nothing was kept yet. */
  release(): void {}
}
