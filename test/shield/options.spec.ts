import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, Shield, type ProfiledShieldOptions } from '../../lib/index.js';
import { thrown } from '../operation/support.js';
import { outcome, shielded } from './support.js';

function refusedName(name: unknown, options: unknown = {}): ConfigurationError {
  const error = thrown(() => new Shield(name as string, options as ProfiledShieldOptions));
  expect(error).toBeInstanceOf(ConfigurationError);
  return error as ConfigurationError;
}

const refused = (options: unknown): ConfigurationError => refusedName('github', options);

describe('the options of a shield', () => {
  it.each([[0], [-1], [NaN], ['5'], [true], [null]])('refuse a maxRate of %p [S151]', (maxRate) => {
    expect(refused({ maxRate }).message).toMatch(
      /^shield 'github': maxRate is .+; give calls per second, above 0$/,
    );
  });

  it('take an endless maxRate for none [S132]', () => {
    expect(new Shield('github', { maxRate: Infinity, env: false }).snapshot().maxRate).toBeNull();
    expect(shielded().shield.snapshot().maxRate).toBeNull();
  });

  it('refuse a maxRate below the lowest one of the profile, and take that one [S14, S22]', () => {
    expect(refused({ maxRate: 0.1 }).message).toBe(
      "shield 'github': maxRate is below the lowest rate of the profile 'api', 0.25 per second; " +
        'give at least that, or another profile',
    );
    expect(new Shield('github', { maxRate: 0.25, env: false }).snapshot().maxRate).toBe(0.25);
    expect(refused({ maxRate: 0.5, profile: 'internal' }).message).toContain("'internal', 1 per second");
  });

  const throwing = new Proxy([], {
    get() {
      throw new Error('foreign');
    },
  });
  it.each([
    ['a set', new Set([RangeError])],
    ['a map', new Map()],
    ['an object', { RangeError }],
    ['a number', 42],
    ['null', null],
    ['a class that is no error', class Client {}],
    ['a list with a class that is no error', [RangeError, class Client {}]],
    ['a list with a blank name', ['RangeError', ' ']],
    ['a blank name', ''],
    ['a list with nothing', [undefined]],
    ['a list that lets nobody look', throwing],
  ])(
    'refuse timeoutErrors that are %s [S63, S83, S86, S87, S88, S89, S90, S91, S93, S94]',
    (_, timeoutErrors) => {
      const { message } = refused({ timeoutErrors });
      expect(message).toMatch(/^shield 'github': timeoutErrors/);
      expect(message).not.toContain('foreign');
    },
  );

  it('leave timeoutErrors alone that are not given [S62]', async () => {
    const scene = shielded({ timeoutErrors: undefined });
    expect(
      await outcome(
        scene,
        scene.shield.run(async () => 'up'),
      ),
    ).toBe('up');
  });

  it.each([
    ['cache', { get: () => 1 }],
    ['cache', { set: () => 1 }],
    ['cache', null],
    ['cache', 'redis'],
    ['cacheKey', 'id'],
    ['fallback', 'method'],
    ['fallback', null],
    ['maxWait', -1],
    ['maxWait', 'soon'],
    ['whenLimited', 'drop'],
    ['profile', 'fast'],
    ['profile', 'toString'],
    ['env', 'yes'],
    ['env', null],
    ['clock', {}],
    ['random', 0.5],
    ['retries', 3],
    ['timeout', 3],
    ['initialRate', 3],
  ])('refuse %s: %p, and name it [S82]', (option, value) => {
    expect(refused({ [option]: value }).message).toContain(option);
  });

  it.each(['', ' ', '!!', '3x', undefined, 42, null])('refuse the name %p [S117]', (name) => {
    expect(refusedName(name).message).toContain('name');
  });

  it('never show a value', () => {
    for (const option of ['timeoutErrors', 'maxRate', 'cache', 'cacheKey', 'fallback', 'maxWait', 'profile'])
      expect(refused({ [option]: ['s3cr3t!', ''] }).message).not.toContain('s3cr3t');
  });
});
