import { describe, expect, it } from '@jest/globals';
import {
  ConfigurationError,
  InMemoryCache,
  type InMemoryCacheOptions,
  type ShieldCache,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { gives, rejects, thrown, Upstream, type Fn } from '../operation/support.js';
import { client } from './client.js';

function filled(options: InMemoryCacheOptions = {}) {
  const clock = new FakeClock();
  const cache = new InMemoryCache({ clock, ...options });
  return { clock, cache };
}

describe('the cache in memory', () => {
  it('gives what was kept last', () => {
    const { cache } = filled();
    cache.set('a', 1);
    cache.set('a', 2);
    expect([cache.get('a'), cache.get('b'), cache.size]).toEqual([2, undefined, 1]);
  });

  it('forgets after five minutes, or what it is told, without a timer', async () => {
    for (const [options, seconds] of [
      [{}, 300],
      [{ ttl: '2s' }, 2],
    ] as const) {
      const { cache, clock } = filled(options);
      cache.set('a', 1);
      await clock.advance(seconds - 0.001);
      expect(cache.get('a')).toBe(1);
      expect(clock.pendingTimers).toBe(0);
      await clock.advance(0.001);
      expect(cache.get('a')).toBeUndefined();
      expect(cache.size).toBe(0);
    }
  });

  it('does not keep a value longer because it was read, and does because it was kept anew', async () => {
    const { cache, clock } = filled({ ttl: 10 });
    cache.set('read', 1);
    cache.set('anew', 1);
    await clock.advance(9);
    cache.get('read');
    cache.set('anew', 2);
    await clock.advance(2);
    expect([cache.get('read'), cache.get('anew')]).toEqual([undefined, 2]);
  });

  it('is not moved by a step of the wall clock', () => {
    const { cache, clock } = filled({ ttl: 10 });
    cache.set('a', 1);
    clock.stepWall('1h');
    expect(cache.get('a')).toBe(1);
  });

  it('keeps so many, and lets go of the one that was not used for longest', () => {
    const { cache } = filled({ maxEntries: 3 });
    for (const key of ['a', 'b', 'c']) cache.set(key, key);
    cache.get('a');
    cache.set('d', 'd');
    expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual(['a', undefined, 'c', 'd']);
    expect(cache.size).toBe(3);
  });

  it('keeps a thousand unless it is told otherwise', () => {
    const { cache } = filled();
    for (let key = 0; key < 1_500; key += 1) cache.set(String(key), key);
    expect([cache.size, cache.get('499'), cache.get('500')]).toEqual([1_000, undefined, 500]);
  });

  it('copies plain data on its way in and out', () => {
    const { cache } = filled();
    const value = { list: [1], map: new Map([['a', { deep: 1 }]]) };
    cache.set('a', value);
    value.list.push(2);
    const first = cache.get('a') as typeof value;
    first.list.push(3);
    expect(cache.get('a')).toEqual({ list: [1], map: new Map([['a', { deep: 1 }]]) });
  });

  it('can be told to forget', () => {
    const { cache } = filled();
    for (const key of ['a', 'b', 'c']) cache.set(key, 1);
    cache.delete('a');
    cache.delete('nobody');
    expect([cache.get('a'), cache.size]).toEqual([undefined, 2]);
    cache.clear();
    expect(cache.size).toBe(0);
  });

  it.each([
    [{ ttl: 0 }, 'ttl'],
    [{ ttl: -1 }, 'ttl'],
    [{ ttl: 'soon' }, 'ttl'],
    [{ maxEntries: 0 }, 'maxEntries'],
    [{ maxEntries: 1.5 }, 'maxEntries'],
    [{ maxEntries: Infinity }, 'maxEntries'],
    [{ size: 3 }, 'size'],
    [{ clock: {} }, 'clock'],
  ])('refuses %p', (options, option) => {
    const error = thrown(() => new InMemoryCache(options as InMemoryCacheOptions));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(option);
  });
});

/** As `keyv` is used: asynchronous, `undefined` for nothing, and a promise of whether it was kept. */
class Keyv {
  private readonly kept = new Map<string, unknown>();
  async get<T>(key: string): Promise<T | undefined> {
    return this.kept.get(key) as T | undefined;
  }
  async set(key: string, value: unknown, _ttl?: number): Promise<boolean> {
    this.kept.set(key, value);
    return true;
  }
}

/** As `cache-manager` and the cache manager of Nest are used: `null` for nothing, and a promise of the value. */
class CacheManager {
  private readonly kept = new Map<string, string>();
  async get<T>(key: string): Promise<T | null> {
    const text = this.kept.get(key);
    return text === undefined ? null : (JSON.parse(text) as T);
  }
  async set<T>(key: string, value: T, _ttl?: number): Promise<T> {
    this.kept.set(key, JSON.stringify(value));
    return value;
  }
}

describe('a shield takes as its cache', () => {
  const caches: [string, () => ShieldCache][] = [
    ['what is shaped like keyv', () => new Keyv()],
    ['what is shaped like cache-manager', () => new CacheManager()],
    ['a Map', () => new Map<string, unknown>()],
    ['the one in memory', () => new InMemoryCache()],
  ];

  it.each(caches)('%s', async (_, make) => {
    const fn: Fn = new Upstream(gives({ price: 42 }), rejects(new RangeError('broken'))).call;
    const seen = client(fn, { cache: make() });
    expect(await seen.outcome('AAPL')).toEqual({ price: 42 });
    expect(await seen.outcome('AAPL')).toEqual({ price: 42 });
    expect((await seen.outcome('MSFT')).name).toBe('RangeError');
    expect(seen.clock.pendingTimers).toBe(0);
  });
});
