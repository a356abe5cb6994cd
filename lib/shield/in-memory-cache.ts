import {
  checkCount,
  checkDuration,
  checkOptions,
  checkTimeOptions,
  type TimeOptions,
} from '../errors/check.js';
import { copyData } from '../policies/idempotency/copy-data.js';
import { RecencyList, type Recent } from '../policies/idempotency/recency-list.js';
import { systemClock, type Clock } from '../time/clock.js';
import type { Duration } from '../time/duration.js';
import type { ShieldCache } from './cache.js';

/** Options of {@link InMemoryCache}. */
export interface InMemoryCacheOptions extends Pick<TimeOptions, 'clock'> {
  /** How long a value is kept. Default 5 minutes. */
  readonly ttl?: Duration | undefined;
  /** How many are kept; the one that was not used for longest goes first. Default 1,000. */
  readonly maxEntries?: number | undefined;
}

interface Entry extends Recent<Entry> {
  readonly key: string;
  readonly value: unknown;
  readonly dueMs: number;
}

/** A small cache for one process. Plain data is copied on its way in and out, so that nobody changes what others get. */
export class InMemoryCache implements ShieldCache {
  private readonly entries = new Map<string, Entry>();
  private readonly order = new RecencyList<Entry>();
  private readonly ttlMs: number;
  private readonly maxEntries: number;
  private readonly clock: Clock;

  /** @throws {ConfigurationError} for a `ttl` that is no duration above zero, or `maxEntries` below 1 or not whole. */
  constructor(options: InMemoryCacheOptions = {}) {
    checkOptions('cache', options, ['ttl', 'maxEntries', 'clock']);
    checkTimeOptions(options);
    this.ttlMs = checkDuration('ttl', options.ttl ?? '5m');
    this.maxEntries = checkCount('maxEntries', options.maxEntries ?? 1_000, 1);
    this.clock = options.clock ?? systemClock;
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: string): unknown {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.order.remove(entry);
    if (entry.dueMs <= this.clock.monotonicMs()) {
      this.entries.delete(key);
      return undefined;
    }
    this.order.add(entry);
    return copyData(entry.value);
  }

  set(key: string, value: unknown): void {
    this.delete(key);
    const dueMs = this.clock.monotonicMs() + this.ttlMs;
    const entry: Entry = { key, value: copyData(value), dueMs, older: undefined, newer: undefined };
    this.entries.set(key, entry);
    this.order.add(entry);
    const { oldest } = this.order;
    if (this.entries.size > this.maxEntries && oldest !== undefined) this.delete(oldest.key);
  }

  delete(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.order.remove(entry);
  }

  clear(): void {
    for (const key of [...this.entries.keys()]) this.delete(key);
  }
}
