import { describe, expect, it, jest } from '@jest/globals';
import { MisuseError, RetryPolicy, type Backoff } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { failing, onFakeClock } from './support.js';

describe('a backoff of the application', () => {
  it('is asked once for each wait, with the number of the retry and the source of chance', async () => {
    const random = (): number => 0.5;
    const backoff = { delayForRetry: jest.fn((retryNumber: number) => retryNumber / 10) } satisfies Backoff;
    const { clock, policy, waits } = onFakeClock({ backoff, random });
    await clock.settle(policy.run(failing(new Error(), new Error())));
    expect(backoff.delayForRetry.mock.calls).toEqual([
      [1, random],
      [2, random],
    ]);
    expect(waits()).toEqual([100, 200]);
  });

  it.each([NaN, -1, Infinity, true, 'secret', undefined, null, 10n, Object.create(null)])(
    'that returns %p is a misuse and no wait',
    async (seconds) => {
      const { clock, policy, waits } = onFakeClock({ backoff: { delayForRetry: () => seconds as number } });
      const error: unknown = await clock.settle(
        policy.run(failing(new Error())).catch((reason: unknown) => reason),
      );
      expect(error).toBeInstanceOf(MisuseError);
      expect((error as Error).message).toMatch(
        /^backoff\.delayForRetry\(1\) must return seconds, 0 or more, and returned /,
      );
      expect((error as Error).message).not.toContain('secret');
      expect(waits()).toEqual([]);
    },
  );
});

describe('the options of a retry policy', () => {
  it.each([0, -1, 1.5, NaN, Infinity, true, '3', null])('refuse %p attempts [R10]', (maxAttempts) => {
    // B016: Infinity is refused by name, rather than tried for ever.
    expect(() => new RetryPolicy({ maxAttempts: maxAttempts as number })).toThrow(
      /^maxAttempts is .*; give a whole number, 1 or more$/,
    );
  });

  it('refuse an empty filter of failures [R11]', () => {
    expect(() => new RetryPolicy({ retryOn: [] })).toThrow(
      'retryOn is an empty list; give a list of error classes that is not empty, or a function (error) => boolean',
    );
  });

  it('are checked before anything runs', () => {
    expect(() => new RetryPolicy({ retries: 3 } as object)).toThrow(
      'retries is not an option here; the options are maxAttempts, backoff, retryOn, clock, random',
    );
    expect(() => new RetryPolicy({ clock: Date as never })).toThrow(/^clock is a function/);
    expect(new RetryPolicy({ clock: new FakeClock() }).maxAttempts).toBe(3);
  });
});
