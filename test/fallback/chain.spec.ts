import { describe, expect, it, jest } from '@jest/globals';
import { fallbackChain, FallbackChain, FallbackChainError, MisuseError } from '../../lib/index.js';
import { rejection } from '../operation/support.js';

const fails = (error: unknown) =>
  jest.fn(async (..._args: unknown[]) => {
    throw error;
  });
const gives = <T>(value: T) => jest.fn(async (..._args: unknown[]) => value);

describe('a fallback chain by itself', () => {
  it("gives the first candidate's success: index 0, no failures, no fallback used [R95]", async () => {
    const result = await fallbackChain(['cache', gives('cached')], ['default', gives('default')]).run();
    expect(result).toEqual({
      value: 'cached',
      candidateName: 'cache',
      candidateIndex: 0,
      fallbackUsed: false,
      failures: [],
      failureCount: 0,
    });
    expect(Object.isFrozen(result) && Object.isFrozen(result.failures)).toBe(true);
  });

  it('uses the second candidate when the first fails: index 1, one failure [R96]', async () => {
    const error = new Error('no cache');
    const result = await fallbackChain(['cache', fails(error)], ['default', gives('default')]).run();
    expect(result).toEqual({
      value: 'default',
      candidateName: 'default',
      candidateIndex: 1,
      fallbackUsed: true,
      failures: [error],
      failureCount: 1,
    });
    expect(result.failures[0]).toBe(error);
  });

  it('hands the arguments to every candidate [R97]', async () => {
    const order = { id: 7 };
    const candidates = [fails(new Error('1')), fails(new Error('2')), gives('3')] as const;
    const [first, second, third] = candidates;
    await fallbackChain(['a', first], ['b', second], ['c', third]).run(order, 'EUR', undefined);
    for (const candidate of candidates) {
      expect(candidate.mock.calls).toEqual([[order, 'EUR', undefined]]);
      expect(candidate.mock.calls[0]?.[0]).toBe(order);
      expect(candidate.mock.contexts).toEqual([undefined]);
    }
  });

  it('tries the candidates strictly in order, the next one only when the one before has failed [R98]', async () => {
    const story: string[] = [];
    const slowly = (name: string) => async () => {
      story.push(`${name} begins`);
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      story.push(`${name} ends`);
      throw new Error(name);
    };
    await rejection(fallbackChain(['b', slowly('b')], ['a', slowly('a')], ['c', slowly('c')]).run());
    expect(story).toEqual(['b begins', 'b ends', 'a begins', 'a ends', 'c begins', 'c ends']);
  });

  it('fails with the failures in order and the last one as cause when all fail [R99]', async () => {
    const errors = [new Error('1'), 'a text', undefined, Object.freeze(new RangeError('4'))];
    const chain = new FallbackChain(
      errors.map((error, index) => ({ name: `c${index}`, operation: fails(error) })),
    );
    const error = await rejection(chain.run());
    expect(error).toBeInstanceOf(FallbackChainError);
    expect(error).toMatchObject({
      name: 'FallbackChainError',
      code: 'RELPRIM_FALLBACKS_FAILED',
      message: 'all 4 fallback candidate(s) failed, the last with RangeError (4)',
      primaryFailure: undefined,
    });
    expect(error.failures).toEqual(errors);
    expect(error.failures.every((failure: unknown, index: number) => failure === errors[index])).toBe(true);
    expect(error.cause).toBe(errors[3]);
    expect(Object.isFrozen(error.failures)).toBe(true);
  });

  it("stops at once at a candidate's failure outside the filter, as it is [R100]", async () => {
    const unmatched = new TypeError('a mistake');
    const last = gives('never');
    const chain = fallbackChain(['a', fails(new RangeError('1'))], ['b', fails(unmatched)], ['c', last], {
      fallbackOn: [RangeError],
    });
    expect(await rejection(chain.run())).toBe(unmatched);
    expect(last).not.toHaveBeenCalled();
  });

  it('stops at once at a misuse of the library, whatever the filter says [R100]', async () => {
    const misuse = new MisuseError('used in a way that cannot work');
    const last = gives('never');
    const chain = fallbackChain(['a', fails(misuse)], ['b', last], { fallbackOn: () => true });
    expect(await rejection(chain.run())).toBe(misuse);
    expect(last).not.toHaveBeenCalled();
  });

  it('does not call the candidates after a success [R101]', async () => {
    const [second, third] = [gives('second'), gives('third')];
    const chain = fallbackChain(['a', fails(new Error('1'))], ['b', second], ['c', third]);
    expect((await chain.run()).value).toBe('second');
    expect([second.mock.calls.length, third.mock.calls.length]).toEqual([1, 0]);
  });

  it('takes a candidate that throws at once, or gives a plain value, like one that promises [R96]', async () => {
    const thrower = () => {
      throw new Error('at once');
    };
    const chain = fallbackChain(['a', thrower], ['b', () => 5]);
    const run = chain.run();
    expect(run).toBeInstanceOf(Promise);
    expect(await run).toMatchObject({ value: 5, failureCount: 1 });
  });

  it.each([undefined, null, 0, '', false])('takes %p for a value like any other [R95]', async (value) => {
    expect(await fallbackChain(['a', () => value], ['b', () => 'never']).run()).toMatchObject({
      value,
      candidateIndex: 0,
    });
  });

  it('has nothing in common between two runs [R99]', async () => {
    const chain = fallbackChain(['a', fails(new Error('1'))], ['b', gives('b')]);
    const [left, right] = await Promise.all([chain.run(), chain.run()]);
    expect([left.failureCount, right.failureCount]).toEqual([1, 1]);
    expect(left.failures).not.toBe(right.failures);
  });
});
