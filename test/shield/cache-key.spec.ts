import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { cacheKeyOf } from '../../lib/shield/cache-key.js';
import { outcome, shielded } from './support.js';

afterEach(() => void jest.restoreAllMocks());

const keyOf = (...args: unknown[]): string => cacheKeyOf('github', 'visit', args);

class Money {
  constructor(
    readonly amount: string,
    readonly currency: string,
  ) {}
  toJSON(): string {
    return `${this.amount} ${this.currency}`;
  }
}

describe('the key of a call in the cache', () => {
  it('is the name of the shield and sixteen hex digits [S69, S73]', () => {
    expect(keyOf('AAPL')).toMatch(/^github:[0-9a-f]{16}$/);
    expect(cacheKeyOf('stocks', 'visit', ['AAPL'])).toBe(keyOf('AAPL').replace('github', 'stocks'));
  });

  it('is the same for the same arguments, in every process [S70]', () => {
    expect(keyOf('AAPL', { currency: 'EUR' })).toBe(keyOf('AAPL', { currency: 'EUR' }));
    // The digest of ["visit",[]].
    expect(keyOf()).toBe('github:8399a3022c83e183');
  });

  it('does not depend on the order of the keys of an object [S71]', () => {
    expect(keyOf({ a: 1, b: { c: 2, d: 3 } })).toBe(keyOf({ b: { d: 3, c: 2 }, a: 1 }));
    expect(keyOf(new Map(Object.entries({ a: 1, b: 2 })))).toBe(
      keyOf(new Map(Object.entries({ b: 2, a: 1 }))),
    );
    expect(keyOf(new Set([1, 2]))).toBe(keyOf(new Set([2, 1])));
  });

  it('depends on the operation [S126]', () => {
    expect(cacheKeyOf('github', 'visit', [1])).not.toBe(cacheKeyOf('github', 'leave', [1]));
    expect(cacheKeyOf('github', 'visit', [1])).not.toBe(
      cacheKeyOf('github', undefined, ['visit', [1]]).slice(1),
    );
  });

  it('takes lists, objects, dates, addresses, bytes, large numbers and what says how it is written [S74]', () => {
    const values = [
      [1, [2]],
      { a: [1] },
      new Date(0),
      new URL('https://a.example'),
      Buffer.from('a'),
      10n,
      new Money('1', 'EUR'),
    ];
    expect(new Set(values.map((value) => keyOf(value))).size).toBe(values.length);
  });

  it('differs for all that differs [S72, S126]', () => {
    const values: unknown[] = [
      undefined,
      null,
      true,
      false,
      0,
      -0,
      1,
      '1',
      1n,
      NaN,
      'NaN',
      Infinity,
      '',
      'null',
      [],
      [[]],
      {},
      { a: 1 },
      { a: '1' },
      { a: undefined },
      [1, 2],
      [12],
      ['1', '2'],
      ['1,2'],
      new Date(1),
      'Date(1)',
      new Set([1]),
      new Map([[1, 1]]),
      new Map([[1, '1']]),
      [[1, 1]],
      new URL('https://a.example'),
      'https://a.example/',
      Buffer.from('a'),
      new Uint8Array([1]),
      new Money('1', 'EUR'),
      '1 EUR',
      '"',
      '\\',
      '\u0000',
    ];
    const keys = [...values.map((value) => keyOf(value)), keyOf(), keyOf(1, undefined), keyOf(undefined, 1)];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it.each([
    ['a function', () => undefined, 'a function has no stable text'],
    ['a symbol', Symbol('s'), 'a symbol has no stable text'],
    ['an instance', new AbortController().signal, 'an instance of AbortSignal has no stable text'],
    ['an instance inside', { deep: [new (class Client {})()] }, 'an instance of Client has no stable text'],
  ])('is refused to %s', (_, value, message) => {
    expect(() => keyOf(value)).toThrow(new TypeError(message));
  });

  it('is refused to a circle, and not to what is there twice', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = { circle };
    expect(() => keyOf(circle)).toThrow(new TypeError('a circle has no stable text'));
    const twice = { a: 1 };
    expect(keyOf([twice, twice])).toBe(keyOf([{ a: 1 }, { a: 1 }]));
  });

  it('where there is none, the call goes on, and one warning says the cure', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const cache = new Map();
    const scene = shielded({ cache });
    const visit = async (_: AbortSignal): Promise<string> => 'up';
    for (let call = 0; call < 3; call += 1)
      expect(await outcome(scene, scene.shield.run(visit, new AbortController().signal))).toBe('up');
    expect(cache.size).toBe(0);
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      "the cache of shield 'github' has no key for some arguments: an instance of AbortSignal has no stable text; " +
        'give the shield a cacheKey',
    ]);
  });
});
