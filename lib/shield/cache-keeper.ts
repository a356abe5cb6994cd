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
    const key = this.keyFor(operationName, args);
    if (key === undefined) return;
    try {
      const kept = this.options.cache.set(key, value);
      if (isPromiseLike(kept)) kept.then(undefined, (error: unknown) => this.failed('write', error));
    } catch (error) {
      this.failed('write', error);
    }
  }

  /** What was kept for a call. @throws {ShieldCacheMissError} when there is nothing, or no way to find out. */
  async find(operationName: string, args: readonly unknown[]): Promise<unknown> {
    const value = await this.read(operationName, args);
    if (value === undefined || value === null) throw cacheMiss(this.options.shieldName);
    return value;
  }

  private async read(operationName: string, args: readonly unknown[]): Promise<unknown> {
    const key = this.keyFor(operationName, args);
    if (key === undefined) return undefined;
    try {
      return await this.options.cache.get(key);
    } catch (error) {
      this.failed('read', error);
      return undefined;
    }
  }

  /** `undefined` for a call that has no key of its own. */
  private keyFor(operationName: string, args: readonly unknown[]): string | undefined {
    const { cacheKey } = this.options;
    return cacheKey === undefined ? this.defaultKey(operationName, args) : this.givenKey(cacheKey, args);
  }

  /** Functions that cannot be told apart would be answered with each other's values. */
  private defaultKey(operationName: string, args: readonly unknown[]): string | undefined {
    const { shieldName, keysTellOperations, tellsApart } = this.options;
    if (keysTellOperations && !tellsApart(operationName)) {
      if (!this.warnedOfNames)
        this.say(
          'is not used for functions without a name of their own; give the shield a cacheKey, or give each function a name',
        );
      this.warnedOfNames = true;
      return undefined;
    }
    try {
      return cacheKeyOf(shieldName, keysTellOperations ? operationName : undefined, args);
    } catch (error) {
      const why = error instanceof TypeError ? error.message : errorType(error);
      this.sayNowAndThen(`has no key for some arguments: ${why}; give the shield a cacheKey`);
      return undefined;
    }
  }

  private givenKey(
    cacheKey: NonNullable<ShieldConfig['cacheKey']>,
    args: readonly unknown[],
  ): string | undefined {
    try {
      const key: unknown = cacheKey(...args);
      if (typeof key === 'string' && key !== '') return key;
      this.sayNowAndThen('was given no text by cacheKey; return one that is not empty');
    } catch (error) {
      this.sayNowAndThen(`was given no key by cacheKey, which failed with ${errorType(error)}`);
    }
    return undefined;
  }

  private failed(step: 'read' | 'write', error: unknown): void {
    this.sayNowAndThen(`failed to ${step} with ${errorType(error)}`);
  }

  private sayNowAndThen(what: string): void {
    const nowMs = this.options.clock().monotonicMs();
    if (nowMs - this.warnedMs < WARN_EVERY_MS) return;
    this.warnedMs = nowMs;
    this.say(what);
  }

  private say(what: string): void {
    const { shieldName, warn } = this.options;
    warn(`the cache of shield '${shieldName}' ${what}`);
  }
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function';
}
