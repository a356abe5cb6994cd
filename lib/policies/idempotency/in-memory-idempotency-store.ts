import { checkCount, checkOptions, checkTimeOptions, type TimeOptions } from '../../errors/check.js';
import { systemClock, type Clock } from '../../time/clock.js';
import { secondsToMs } from '../../time/duration.js';
import { RecencyList, type Recent } from './recency-list.js';
import type {
  Claim,
  ClaimRequest,
  IdempotencyStore,
  KeptOutcome,
  KnownOutcome,
  OwnedKey,
} from './idempotency-store.js';

/** Options of {@link InMemoryIdempotencyStore}. */
export interface InMemoryIdempotencyStoreOptions extends Pick<TimeOptions, 'clock'> {
  /** The most outcomes that are kept; of more, the one goes that was asked for least recently. Default 10,000. */
  readonly maxEntries?: number | undefined;
}

/** Its own answer to whoever asks. */
class Entry implements KnownOutcome, Recent<Entry> {
  older: Entry | undefined = undefined;
  newer: Entry | undefined = undefined;

  constructor(
    readonly key: string,
    readonly fingerprint: string | undefined,
    readonly outcome: KeptOutcome,
    readonly expiresAtMs: number,
  ) {}

  get state() {
    return 'done' as const;
  }
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
  private readonly entries = new Map<string, Entry>();
  private readonly recency = new RecencyList<Entry>();
  private evicted = 0;

  /** @throws {ConfigurationError} when `maxEntries` is no whole number of 1 or more. */
  constructor(options: InMemoryIdempotencyStoreOptions = {}) {
    checkOptions('InMemoryIdempotencyStore', options, ['maxEntries', 'clock']);
    checkTimeOptions(options);
    const { maxEntries = 10_000, clock } = options;
    this.maxEntries = checkCount('maxEntries', maxEntries, 1);
    this.ownClock = clock;
  }

  claim(key: string, { fingerprint, clock }: ClaimRequest): Claim {
    const entry = this.entries.get(key);
    if (entry === undefined) return new OwnedEntry(this, key, fingerprint, clock);
    if (entry.expiresAtMs <= this.nowMs(clock)) {
      this.remove(entry);
      return new OwnedEntry(this, key, fingerprint, clock);
    }
    this.recency.remove(entry);
    this.recency.add(entry);
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
    for (const entry of this.entries.values()) if (entry.expiresAtMs <= nowMs) this.remove(entry);
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
    const before = this.entries.get(key);
    if (before !== undefined) this.remove(before);
    const entry = new Entry(key, fingerprint, outcome, nowMs + secondsToMs(ttlSeconds));
    this.entries.set(key, entry);
    this.recency.add(entry);
    this.sweep(nowMs);
    if (this.entries.size > this.maxEntries) this.evict();
  }

  private nowMs(clock: Clock): number {
    this.latestClock = this.ownClock ?? clock;
    return this.latestClock.monotonicMs();
  }

  private sweep(nowMs: number): void {
    for (let left = SWEPT_PER_ENTRY; left > 0; left -= 1) {
      const entry = this.recency.next();
      if (entry !== undefined && entry.expiresAtMs <= nowMs) this.remove(entry);
    }
  }

  private evict(): void {
    const { oldest } = this.recency;
    if (oldest === undefined) return;
    this.remove(oldest);
    this.evicted += 1;
  }

  private remove(entry: Entry): void {
    this.entries.delete(entry.key);
    this.recency.remove(entry);
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
