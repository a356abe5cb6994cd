import { describe, expect, it, jest } from '@jest/globals';
import {
  FallbackChainError,
  RateLimitDecision,
  RateLimitPolicy,
  RelPrimError,
  resilient,
  RetryAfterExtractionError,
  type RetryAfterExtractor,
} from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { rejection, thrown } from '../operation/support.js';
import { mistakeOf } from '../support/mistake-of.js';
import { NOW_MS, policy, RateLimitError } from './support.js';

class DailyLimitError extends RateLimitError {}

describe('a rate-limit policy', () => {
  it('calls a matching failure limited, with no hint where nobody extracts one [R65]', () => {
    const decision = policy({ retryAfter: undefined }).evaluate(new DailyLimitError(5));
    expect({ ...decision }).toEqual({ rateLimited: true, retryAfterSeconds: null });
    expect(decision).toBeInstanceOf(RateLimitDecision);
    expect(Object.isFrozen(decision)).toBe(true);
  });

  it.each([new Error('slow down'), 'slow down', undefined, null, 429, { retryAfter: 5 }])(
    'calls %p not limited, and asks the extractor nothing [R66]',
    (failure) => {
      const retryAfter = jest.fn<RetryAfterExtractor>(() => 5);
      const decision = policy({ retryAfter }).evaluate(failure);
      expect({ ...decision }).toEqual({ rateLimited: false, retryAfterSeconds: null });
      expect(retryAfter).not.toHaveBeenCalled();
    },
  );

  it.each([1, 2.5, 0.001, 1e9, Number.MAX_VALUE])(
    'gives the extracted delay of %p s as it is [R67]',
    (delay) => {
      expect(policy().evaluate(new RateLimitError(delay))).toEqual(new RateLimitDecision(true, delay));
    },
  );

  it.each([0, -0])('takes %p for an immediate retry [R68]', (delay) => {
    const { rateLimited, retryAfterSeconds } = policy().evaluate(new RateLimitError(delay));
    expect([rateLimited, Object.is(retryAfterSeconds, 0)]).toEqual([true, true]);
  });

  it.each([null, undefined])('takes %p for no hint [R69]', (nothing) => {
    expect(policy().evaluate(new RateLimitError(nothing))).toEqual(new RateLimitDecision(true, null));
  });

  it.each([[[]], [undefined], [null], ['RateLimitError']])(
    'refuses %p as its filter [R70]',
    (rateLimitOn) => {
      const { option, cure } = mistakeOf(() => policy({ rateLimitOn: rateLimitOn as never }));
      expect(option).toBe('rateLimitOn');
      expect(cure).toContain('list of error classes that is not empty');
    },
  );

  it.each([['RateLimitError'], [429], [null], [() => true], [new RateLimitError()]])(
    'refuses %p in its filter, which is no class of errors [R71]',
    (entry) => {
      const mistake = mistakeOf(() => policy({ rateLimitOn: [RateLimitError, entry as never] }));
      expect(mistake).toBeInstanceOf(TypeError);
      expect(mistake.option).toBe('rateLimitOn[1]');
    },
  );

  it('takes a function for its filter', () => {
    const limits = policy({ rateLimitOn: (error) => (error as { status?: unknown } | null)?.status === 429 });
    expect(limits.evaluate({ status: 429, retryAfter: 3 })).toEqual(new RateLimitDecision(true, 3));
    expect(limits.evaluate({ status: 503, retryAfter: 3 }).rateLimited).toBe(false);
  });

  it('refuses a maximum wait below zero [R72]', () => {
    expect(mistakeOf(() => policy({ maxWait: -1 })).option).toBe('maxWait');
    expect(mistakeOf(() => policy({ maxWait: '-1s' })).option).toBe('maxWait');
  });

  it.each([NaN, Infinity, -Infinity, true, '60', 'soon', '', null, {}])(
    'refuses %p as its maximum wait [R73]',
    (maxWait) => {
      const mistake = mistakeOf(() => policy({ maxWait: maxWait as never }));
      expect([mistake.option, mistake instanceof TypeError]).toEqual(['maxWait', true]);
    },
  );

  it.each<[value: never, seconds: number]>([
    [0 as never, 0],
    ['250ms' as never, 0.25],
    [undefined as never, 60],
    [90 as never, 90],
  ])('takes the maximum wait %p [R73]', (maxWait, seconds) => {
    const { maxWaitSeconds, maxWaitMs } = policy({ maxWait });
    expect([maxWaitSeconds, maxWaitMs]).toEqual([seconds, seconds * 1_000]);
  });

  it.each<[unknown, string]>([
    [-1, 'the number -1'],
    [Infinity, 'Infinity'],
    [NaN, 'NaN'],
    [true, 'true'],
    ['5', 'a string'],
  ])('says of the hint %p what it is', (hint, kind) => {
    const error = thrown(() => policy().evaluate(new RateLimitError(hint)));
    expect(error.message).toBe(
      `retryAfter returned ${kind}; give seconds, 0 or more, or undefined where there is no hint`,
    );
  });

  it('ends with an extraction error for a negative hint [R74]', () => {
    const failure = new RateLimitError(-0.5);
    const error = thrown(() => policy().evaluate(failure));
    expect(error).toBeInstanceOf(RetryAfterExtractionError);
    expect(error).toBeInstanceOf(RelPrimError);
    expect(error).toMatchObject({
      name: 'RetryAfterExtractionError',
      code: 'RELPRIM_RETRY_AFTER_EXTRACTION',
    });
    expect(error.rateLimitError).toBe(failure);
    expect('cause' in error).toBe(false);
  });

  it.each([Infinity, -Infinity])('ends with an extraction error for %p [R75]', (hint) => {
    expect(() => policy().evaluate(new RateLimitError(hint))).toThrow(RetryAfterExtractionError);
  });

  it('ends with an extraction error for NaN [R76]', () => {
    expect(() => policy().evaluate(new RateLimitError(NaN))).toThrow(RetryAfterExtractionError);
  });

  it.each([true, false, '5', '', 5n, Symbol('5'), {}, [5], () => 5, { then: () => 5 }])(
    'ends with an extraction error for the hint %p [R77]',
    (hint) => {
      expect(() => policy().evaluate(new RateLimitError(hint))).toThrow(RetryAfterExtractionError);
    },
  );

  it('ends with an extraction error for a promise, and lets it fail later in peace [R77]', async () => {
    const late = (hint: Promise<unknown>) =>
      thrown(() => policy({ retryAfter: () => hint as never }).evaluate(new RateLimitError()));
    expect(late(Promise.resolve(5)).message).toContain('returned a promise');
    expect(late(Promise.reject(new Error('later'))).message).toContain('returned a promise');
    await new Promise(setImmediate); // an unhandled rejection fails the test
  });

  it.each([new RangeError('a secret'), 'a secret', undefined])(
    'wraps what the extractor throws, %p, together with the failure itself [R78]',
    (mistake) => {
      const retryAfter = (): never => {
        throw mistake;
      };
      const failure = new RateLimitError();
      const error = thrown(() => policy({ retryAfter }).evaluate(failure));
      expect(error).toBeInstanceOf(RetryAfterExtractionError);
      expect([error.rateLimitError, error.cause]).toEqual([failure, mistake]);
      expect(error.rateLimitError).toBe(failure);
      expect('cause' in error).toBe(true);
      expect(error.message).not.toContain('secret');
    },
  );

  it('asks about the failure that an operation of ours has wrapped, not about the wrapper [R78]', async () => {
    const failure = new RateLimitError(4);
    const inner = resilient({ name: 'inner' }, () => Promise.reject(failure));
    const wrapped = await rejection(inner());
    const retryAfter = jest.fn<RetryAfterExtractor>(() => 4);
    for (const wrapper of [wrapped, new FallbackChainError([new Error('no stand-in')], wrapped)]) {
      expect(policy({ retryAfter }).evaluate(wrapper).retryAfterSeconds).toBe(4);
      expect(retryAfter.mock.lastCall?.[0]).toBe(failure);
    }
    const every = policy({ rateLimitOn: [RelPrimError], retryAfter });
    every.evaluate(wrapped);
    expect(retryAfter.mock.lastCall?.[0]).toBe(wrapped);
  });

  it('tells the extractor the time of whoever asks, else that of its own clock', async () => {
    const clock = new FakeClock({ startAt: new Date(NOW_MS) });
    const retryAfter = jest.fn<RetryAfterExtractor>(() => 1);
    const limits = policy({ retryAfter, clock });
    limits.evaluate(new RateLimitError(), 5);
    await clock.advance(3);
    limits.evaluate(new RateLimitError());
    expect(retryAfter.mock.calls.map(([, context]) => context)).toEqual([
      { nowMs: 5 },
      { nowMs: NOW_MS + 3_000 },
    ]);
  });

  it.each([
    [{ rateLimitOn: [Error], maxwait: 5 }, 'maxwait', 'did you mean maxWait?'],
    [{ rateLimitOn: [Error], retryAfter: 5 }, 'retryAfter', 'give a function'],
    [{ rateLimitOn: [Error], clock: Date }, 'clock', 'give an object with monotonicMs, wallMs and setTimer'],
    [[RateLimitError], 'rateLimit', 'give an object of options'],
  ])('refuses %p', (options, option, cure) => {
    expect(mistakeOf(() => new RateLimitPolicy(options as never))).toMatchObject({ option, cure });
  });
});

describe('a rate-limit decision', () => {
  it('refuses a delay without a rate limit [R79]', () => {
    expect(mistakeOf(() => new RateLimitDecision(false, 5)).message).toBe(
      'retryAfterSeconds is given for a failure that is no rate limit; leave it out',
    );
    expect(mistakeOf(() => new RateLimitDecision(false, 0)).option).toBe('retryAfterSeconds');
    expect(new RateLimitDecision(false, null).rateLimited).toBe(false);
  });

  it.each([-1, NaN, Infinity, '5', true])('refuses %p as its delay', (delay) => {
    expect(mistakeOf(() => new RateLimitDecision(true, delay as never)).option).toBe('retryAfterSeconds');
  });

  it.each([undefined, 1, 'yes'])('refuses %p as its verdict', (verdict) => {
    expect(mistakeOf(() => new RateLimitDecision(verdict as never)).option).toBe('rateLimited');
  });
});
