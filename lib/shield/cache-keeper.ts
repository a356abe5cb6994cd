import { errorType } from '../report/execution-error.js';
import type { Clock } from '../time/clock.js';
import { cacheKeyOf } from './cache-key.js';
import { cacheMiss } from './cache-miss-error.js';
import type { ShieldCache } from './cache.js';
import type { ShieldConfig } from './shield-options.js';

const WARN_EVERY_MS = 60_000;

/** What a keeper needs of its shield. */
export interface CacheKeeperOptions {
  readonly shieldName: string;
  readonly cache: ShieldCache;
  readonly cacheKey: ShieldConfig['cacheKey'];
  /** The key tells operations apart. */
  readonly keysTellOperations: boolean;
  /** Whether operations of this name are one and the same. */
  readonly tellsApart: (operationName: string) => boolean;
  readonly clock: () => Clock;
  readonly warn: (message: string) => void;
}

/** Keeps the latest values of calls. A cache that fails, or a key that cannot be made, never harms a call. */
export class CacheKeeper {
  private warnedMs = -Infinity;
  private warnedOfNames = false;

  constructor(private readonly options: CacheKeeperOptions) {}

  /** Keeps a value; nobody waits for it. */
  keep(operationName: string, args: readonly unknown[], value: unknown): void {
    if (!this.hasKey(operationName)) return;
    try {
      const kept = this.options.cache.set(this.keyOf(operationName, args), value);
      if (isPromiseLike(kept)) kept.then(undefined, (error: unknown) => this.warnOf('write', error));
    } catch (error) {
      this.warnOf('write', error);
    }
  }

  /** What was kept for a call. @throws {ShieldCacheMissError} when there is nothing, or no way to find out. */
  async find(operationName: string, args: readonly unknown[]): Promise<unknown> {
    const value = await this.read(operationName, args);
    if (value === undefined || value === null) throw cacheMiss(this.options.shieldName);
    return value;
  }

  private async read(operationName: string, args: readonly unknown[]): Promise<unknown> {
    if (!this.hasKey(operationName)) return undefined;
    try {
      return await this.options.cache.get(this.keyOf(operationName, args));
    } catch (error) {
      this.warnOf('read', error);
      return undefined;
    }
  }

  /** Functions that cannot be told apart would be answered with each other's values. */
  private hasKey(operationName: string): boolean {
    const { cacheKey, shieldName, keysTellOperations, tellsApart } = this.options;
    if (cacheKey !== undefined || !keysTellOperations || tellsApart(operationName)) return true;
    if (!this.warnedOfNames)
      this.options.warn(
        `the cache of shield '${shieldName}' is not used for functions without a name of their own; ` +
          'give the shield a cacheKey, or give each function a name',
      );
    this.warnedOfNames = true;
    return false;
  }

  private keyOf(operationName: string, args: readonly unknown[]): string {
    const { cacheKey, shieldName, keysTellOperations } = this.options;
    if (cacheKey === undefined)
      return cacheKeyOf(shieldName, keysTellOperations ? operationName : undefined, args);
    const key: unknown = cacheKey(...args);
    if (typeof key !== 'string' || key === '')
      throw new TypeError('cacheKey must give a text that is not empty');
    return key;
  }

  private warnOf(step: 'read' | 'write', error: unknown): void {
    const nowMs = this.options.clock().monotonicMs();
    if (nowMs - this.warnedMs < WARN_EVERY_MS) return;
    this.warnedMs = nowMs;
    const { shieldName } = this.options;
    this.options.warn(`the cache of shield '${shieldName}' failed to ${step} with ${errorType(error)}`);
  }
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function';
}
