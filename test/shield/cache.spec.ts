import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { ShieldCache } from '../../lib/index.js';
import { gives, rejects, Upstream, type Fn } from '../operation/support.js';
import { client } from './client.js';
import { outcome, shielded } from './support.js';

const broken = new RangeError('broken');
const down = rejects(broken);

/** Remembers everything; says at once what it has, or later. */
class NotingCache implements ShieldCache {
  readonly sets: [string, unknown][] = [];
  readonly gets: string[] = [];

  get(key: string): unknown {
    this.gets.push(key);
    return Promise.resolve(this.sets.findLast(([kept]) => kept === key)?.[1]);
  }

  set(key: string, value: unknown): Promise<void> {
    this.sets.push([key, value]);
    return Promise.resolve();
  }
}

function silenced() {
  return jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
}
afterEach(() => void jest.restoreAllMocks());

/** Works once, and never again. */
const livesOnce = (value: unknown): Fn => new Upstream(gives(value), down).call;
const dies = (): Fn => livesOnce('kept');

describe('the cache of a shield', () => {
  it('gets each value once, under the name of the shield and a digest [S29, S73]', async () => {
    const cache = new NotingCache();
    const seen = client(gives('up'), { cache });
    await seen.outcome('AAPL');
    expect(cache.sets).toEqual([[expect.stringMatching(/^github:[0-9a-f]{16}$/), 'up']]);
    expect(cache.gets).toEqual([]);
  });

  it('answers when the shield gives up [S30]', async () => {
    const cache = new NotingCache();
    const seen = client(dies(), { cache });
    expect([await seen.outcome('a'), await seen.outcome('a')]).toEqual(['kept', 'kept']);
    expect(await seen.outcome('b')).toBe(broken);
    expect(cache.gets).toHaveLength(2);
    expect(seen.clock.pendingTimers).toBe(0);
  });

  it('has nothing, and then the error is the one of the call, with its note [S31]', async () => {
    const seen = client(down, { cache: new Map() });
    const error = await seen.outcome();
    expect(error).toBe(broken);
    expect(error.notes.at(-1)).toMatch(/^shield: non-retryable exception/);
    expect(seen.reports[0]?.attempts.map((attempt) => attempt.error?.type)).toEqual([
      'RangeError',
      'FallbackChainError',
    ]);
    expect(seen.reports[0]?.attempts[1]?.error?.message).toContain(
      "the cache of shield 'github' has nothing for this call",
    );
  });

  it('gives way to the fallback where it has nothing, and wins where it has something [S34]', async () => {
    const seen = client(new Upstream(down, gives('kept'), down).call, {
      cache: new NotingCache(),
      fallback: () => 'stand-in',
    });
    expect([await seen.outcome(), await seen.outcome(), await seen.outcome()]).toEqual([
      'stand-in',
      'kept',
      'kept',
    ]);
    expect(seen.reports.map(({ metadata }) => metadata.shield_recovered_by)).toEqual([
      'fallback',
      undefined,
      'cache',
    ]);
  });

  it.each([[0], [''], [false], [NaN]])('serves a kept %p', async (value) => {
    const seen = client(livesOnce(value), { cache: new Map() });
    await seen.outcome();
    expect(await seen.outcome()).toEqual(value);
  });

  it.each([[undefined], [null]])('does not serve a kept %p', async (value) => {
    const seen = client(livesOnce(value), { cache: new Map() });
    await seen.outcome();
    expect(await seen.outcome()).toBe(broken);
  });

  it('is not asked, and keeps nothing, for a value that was rejected', async () => {
    const cache = new NotingCache();
    const seen = client(gives(-1), {
      cache,
      beside: { validate: (value: unknown) => (value as number) > 0 },
    });
    const error = await seen.outcome();
    expect(error.name).toBe('ValidationFailedError');
    expect(cache.sets).toEqual([]);
  });

  it('has its values checked, too', async () => {
    const cache = new Map<string, unknown>();
    const seen = client(livesOnce(1), {
      cache,
      cacheKey: () => 'k',
      beside: { validate: (value: unknown) => (value as number) > 0 },
    });
    await seen.outcome();
    cache.set('k', -1);
    expect(await seen.outcome()).toBe(broken);
  });

  it('is asked with the key of `cacheKey`, as it is, from the arguments of the call [S35, S129]', async () => {
    const cache = new NotingCache();
    const cacheKey = jest.fn((symbol: string, { currency }: { currency: string }) => `${symbol}/${currency}`);
    const seen = client(dies(), { cache, cacheKey });
    await seen.outcome('AAPL', { currency: 'EUR' });
    expect(await seen.outcome('AAPL', { currency: 'EUR' })).toBe('kept');
    expect(cache.sets[0]?.[0]).toBe('AAPL/EUR');
    expect(cache.gets).toEqual(['AAPL/EUR']);
  });

  it('never keeps a value of a stand-in', async () => {
    const cache = new NotingCache();
    const seen = client(down, { cache, fallback: () => 'stand-in' });
    await seen.outcome();
    expect(cache.sets).toEqual([]);
  });
});

describe('a cache that fails', () => {
  const angry = (): never => {
    throw new Error('secret-host:6379');
  };
  const sulks = (): Promise<never> => Promise.reject(new Error('secret-host:6379'));

  it.each([
    ['throws', { get: angry, set: angry }],
    ['rejects', { get: sulks, set: sulks }],
  ])(
    '%s, and good calls stay good, and failing ones fail with their own error [S36, S37]',
    async (_, cache) => {
      const warn = silenced();
      const scene = shielded({ cache, fallback: (error: unknown) => error });
      const named = dies();
      async function visit(): Promise<unknown> {
        return named();
      }
      expect(await outcome(scene, scene.shield.run(visit))).toBe('kept');
      expect(await outcome(scene, scene.shield.run(visit))).toBe(broken);
      expect(warn.mock.calls.map(([message]) => message)).toEqual([
        "the cache of shield 'github' failed to write with Error",
      ]);
      await scene.clock.advance(61);
      await outcome(scene, scene.shield.run(visit));
      expect(warn.mock.calls[1]?.[0]).toBe("the cache of shield 'github' failed to read with Error");
    },
  );

  it('is warned of once a minute [S38]', async () => {
    const warn = silenced();
    const scene = shielded({ cache: { get: sulks, set: sulks } });
    const visit = async (): Promise<string> => 'up';
    for (let call = 0; call < 25; call += 1) await outcome(scene, scene.shield.run(visit));
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['throws', angry],
    ['gives no text', () => 42 as unknown as string],
    ['gives a blank text', () => ''],
  ])('a key that %s harms no call either', async (_, cacheKey) => {
    const warn = silenced();
    const scene = shielded({ cache: new Map(), cacheKey });
    const fn = dies();
    expect(await outcome(scene, scene.shield.run(fn))).toBe('kept');
    expect(await outcome(scene, scene.shield.run(fn))).toBe(broken);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(warn.mock.calls)).not.toContain('secret');
  });

  it('nobody waits for what is written', async () => {
    const set = jest.fn(() => new Promise(() => undefined));
    const seen = client(gives('up'), { cache: { get: () => undefined, set } });
    expect(await seen.outcome()).toBe('up');
    expect(set).toHaveBeenCalledTimes(1);
  });
});
