import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, fallbackChain, FallbackChain } from '../../lib/index.js';
import { thrown } from '../operation/support.js';

const fn = async () => 'value';

function refusalOf(build: () => unknown): ConfigurationError {
  const error = thrown(build);
  expect(error).toBeInstanceOf(ConfigurationError);
  return error;
}

describe('the making of a fallback chain', () => {
  it.each(['', '  ', '\n', undefined, null, 5, Symbol('name')])(
    'refuses the candidate name %p [R102]',
    (name) => {
      const byPair = refusalOf(() => fallbackChain(['first', fn], [name as never, fn]));
      const byObject = refusalOf(() => new FallbackChain([{ name: name as never, operation: fn }]));
      expect([byPair.option, byObject.option]).toEqual(['fallbacks[1].name', 'fallbacks[0].name']);
      expect(byPair.cure).toBe('give a text that is not blank');
    },
  );

  it.each([[[]], [null], ['Error'], [{}], [[5]], [[() => true]]])(
    'refuses the filter %j, empty ones included [R103]',
    (fallbackOn) => {
      const error = refusalOf(() => fallbackChain(['a', fn], { fallbackOn: fallbackOn as never }));
      expect(error.option).toMatch(/^fallbackOn(\[\d\])?$/);
    },
  );

  it('refuses a chain without candidates [R104]', () => {
    for (const build of [
      () => fallbackChain(),
      () => (fallbackChain as any)({ fallbackOn: [Error] }),
      () => new FallbackChain([]),
      () => new FallbackChain(undefined as never),
      () => new FallbackChain('a' as never),
    ]) {
      expect(refusalOf(build)).toMatchObject({
        option: 'fallbacks',
        cure: 'give at least one candidate',
      });
    }
  });

  it('builds an equal chain from candidate objects [R105]', async () => {
    class Candidate {
      readonly name = 'object';
      readonly operation = fn;
    }
    const given = [new Candidate(), { name: 'other', operation: fn, more: 'ignored' }];
    const chain = new FallbackChain(given, { fallbackOn: [RangeError] });
    given.pop();
    expect(chain.candidates).toEqual([
      { name: 'object', operation: fn },
      { name: 'other', operation: fn },
    ]);
    expect(Object.isFrozen(chain.candidates) && chain.candidates.every(Object.isFrozen)).toBe(true);
    expect(await chain.run()).toMatchObject({ value: 'value', candidateName: 'object' });
    expect([chain.shouldFallback(new RangeError()), chain.shouldFallback(new Error())]).toEqual([
      true,
      false,
    ]);
    expect(fallbackChain(['object', fn], ['other', fn]).candidates).toEqual(chain.candidates);
  });

  it('refuses what is no candidate, or cannot be called', () => {
    expect(refusalOf(() => fallbackChain(['a', 'no function' as never])).option).toBe(
      'fallbacks[0].operation',
    );
    expect(refusalOf(() => new FallbackChain([null as never])).option).toBe('fallbacks[0]');
    expect(refusalOf(() => new FallbackChain([fn as never])).option).toBe('fallbacks[0]');
    expect(refusalOf(() => (fallbackChain as any)(fn, ['a', fn])).option).toBe('fallbacks[0]');
  });

  it('refuses two candidates of one name', () => {
    const error = refusalOf(() => fallbackChain(['cache', fn], ['other', fn], ['cache', fn]));
    expect(error.message).toBe(
      "fallbacks has two candidates named 'cache'; give each a name of its own, as reports tell them apart by it",
    );
  });

  it('refuses an option that does not exist', () => {
    expect(refusalOf(() => (fallbackChain as any)(['a', fn], { fallbackon: [Error] }))).toMatchObject({
      option: 'fallbackon',
      cure: 'did you mean fallbackOn?',
    });
    expect(refusalOf(() => (fallbackChain as any)(['a', fn], null)).option).toBe('fallbacks');
  });

  it('falls back on every failure by default, undefined included', () => {
    const chain = fallbackChain(['a', fn]);
    expect([new Error(), 'text', undefined, null].map((error) => chain.shouldFallback(error))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });
});
