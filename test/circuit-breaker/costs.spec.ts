import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { withRules } from './scenes.js';

describe('a cost that is none', () => {
  let warn: jest.SpiedFunction<typeof process.emitWarning>;
  beforeEach(() => {
    warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  });
  afterEach(() => warn.mockRestore());

  it.each([
    ['NaN', NaN, 'is NaN'],
    ['-Infinity', -Infinity, 'is -Infinity'],
    ['negative', -1, 'is the number -1'],
    ['text', '12', 'is a string'],
    ['missing', undefined, 'is undefined'],
  ])('is nothing, and is warned of once for a breaker: %s', async (name, amount, problem) => {
    const { breaker } = withRules({
      name,
      budget: { limit: 10, per: '60s', cost: () => amount as unknown as number },
    });
    for (let call = 0; call < 3; call += 1) expect(await breaker.run(() => 'kept')).toBe('kept');
    breaker.spend(amount as unknown as number);
    expect(breaker.snapshot()).toMatchObject({ state: 'closed', budget: { spent: 0 } });
    expect(warn.mock.calls).toEqual([
      [
        `a cost of circuit breaker '${name}' ${problem}, so it counts as 0; give a number of 0 or more`,
        { code: 'RELPRIM' },
      ],
    ]);
  });

  it('is not 0, which costs nothing and is right', async () => {
    const { breaker } = withRules({ name: 'free', budget: { limit: 10, per: '60s', cost: () => 0 } });
    await breaker.run(() => 'kept');
    expect(breaker.snapshot().budget?.spent).toBe(0);
    expect(warn).not.toHaveBeenCalled();
  });

  it('is warned of once for all keys of a breaker', () => {
    const { breaker } = withRules({ name: 'keyed', budget: { limit: 10, per: '60s' } });
    for (let key = 0; key < 50; key += 1) breaker.keyed(`key ${key}`).spend(NaN);
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      "a cost of circuit breaker 'keyed' is NaN, so it counts as 0; give a number of 0 or more",
    ]);
  });

  it('may not be promised: nobody would wait for it', async () => {
    const promised = (async () => 5) as unknown as () => number;
    const { breaker } = withRules({ name: 'promised', budget: { limit: 10, per: '60s', cost: promised } });
    expect(await breaker.run(() => 'kept')).toBe('kept');
    expect(breaker.snapshot().budget?.spent).toBe(0);
    expect(warn.mock.calls[0]?.[0]).toMatch(
      /^a cost of circuit breaker 'promised' is a promise, so it counts as 0/,
    );
  });

  it('is nothing where the function throws, and the result reaches the caller', async () => {
    const throwing = (): number => {
      throw new RangeError('secret');
    };
    const { breaker } = withRules({ name: 'throwing', budget: { limit: 10, per: '60s', cost: throwing } });
    for (let call = 0; call < 3; call += 1) expect(await breaker.run(() => 'kept')).toBe('kept');
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      "a cost of circuit breaker 'throwing' failed with RangeError, so it counts as 0; give a number of 0 or more",
    ]);
  });
});
