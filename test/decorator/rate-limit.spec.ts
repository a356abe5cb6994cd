import { describe, expect, it, jest } from '@jest/globals';
import { RateLimitPolicy, RetryPolicy, type OperationResult } from '../../lib/index.js';
import { decoratorMistake, expectRefusal, functionMistake } from './refusals.js';
import { noWait, waysIn, World, type Options } from './support.js';

class TooManyRequests extends Error {
  constructor(readonly seconds?: number) {
    super('slow down');
  }
}
const seconds = (error: unknown) => (error as TooManyRequests).seconds;
const policy = new RateLimitPolicy({ rateLimitOn: [TooManyRequests], retryAfter: seconds, maxWait: '10s' });

describe.each(waysIn)('%s', (_way, protect) => {
  /** One call of a function that is refused once with this hint. */
  async function callOnce(options: Options, hint?: number) {
    const world = new World();
    let calls = 0;
    const fn = async (): Promise<string> => {
      if ((calls += 1) === 1) throw new TooManyRequests(hint);
      return 'ok';
    };
    const ending = await world.clock.settle(protect(world, options, fn)().catch((error: unknown) => error));
    return { report: (ending as OperationResult<unknown>).report, calls, world };
  }

  it('applies a RateLimitPolicy [R239]', async () => {
    const waited = await callOnce({ retries: 1, rateLimit: policy }, 10);
    expect([waited.calls, waited.world.clock.monotonicMs()]).toEqual([2, 10_000]);
    const tooLong = await callOnce({ retry: new RetryPolicy(), rateLimit: policy }, 10.001);
    expect([tooLong.calls, tooLong.report.metadata.rate_limit_wait_exceeded]).toEqual([1, true]);
  });

  it('applies rateLimitOn, retryAfter and maxRateLimitWait [R239]', async () => {
    const options: Options = {
      retries: 1,
      retryOn: [TypeError],
      backoff: noWait,
      rateLimitOn: [TooManyRequests],
    };
    expect((await callOnce(options, 7)).world.clock.monotonicMs()).toBe(0);
    const asking = { ...options, retryAfter: seconds };
    expect((await callOnce(asking, 60)).world.clock.monotonicMs()).toBe(60_000);
    expect((await callOnce(asking, 60.001)).calls).toBe(1);
    expect((await callOnce({ ...asking, maxRateLimitWait: '2m' }, 90)).world.clock.monotonicMs()).toBe(
      90_000,
    );
    expect((await callOnce({ ...asking, maxRateLimitWait: 0 }, 0)).calls).toBe(2);
    expect((await callOnce({ ...asking, maxRateLimitWait: 0 }, 0.5)).calls).toBe(1);
  });

  it('takes undefined for not given, and false for none', async () => {
    const nothing = { rateLimitOn: undefined, retryAfter: undefined, maxRateLimitWait: undefined };
    const { report } = await callOnce({ retries: 1, backoff: noWait, ...nothing, rateLimit: undefined }, 7);
    expect(report.metadata.rate_limit_encountered).toBe(false);
    const { calls } = await callOnce({ retries: 1, backoff: noWait, rateLimit: false }, 7);
    expect(calls).toBe(2);
  });

  it('finds the hint with a function that knows nothing of the call', async () => {
    const retryAfter = jest.fn(() => 1);
    const { world } = await callOnce({ retries: 1, rateLimitOn: () => true, retryAfter });
    expect(retryAfter.mock.calls).toEqual([
      [expect.any(TooManyRequests), { nowMs: world.clock.wallMs() - 1_000 }],
    ]);
  });
});

describe('the options of rate limits', () => {
  it.each(['rateLimitOn', 'retryAfter', 'maxRateLimitWait'])(
    'exclude each other: rateLimit and %s [R240]',
    (option) => {
      const simple = { rateLimitOn: [Error], retryAfter: () => 1, maxRateLimitWait: 1 };
      const given = { [option]: simple[option as keyof typeof simple] };
      const told = `${option} is given together with rateLimit; put it into rateLimit, or leave rateLimit out`;
      expectRefusal({ retries: 1, rateLimit: policy, ...given }, told);
      expectRefusal({ retries: 1, rateLimit: false, ...given }, told);
    },
  );

  it.each([{ retryAfter: () => 1 }, { maxRateLimitWait: '5s' }])('need rateLimitOn: %p [R241]', (given) => {
    const [option] = Object.keys(given);
    const message = `${option} is given without rateLimitOn; add rateLimitOn, or leave ${option} out`;
    expect(functionMistake({ retries: 1, ...given }).message).toBe(`charge: ${message}`);
    // Defaults may say the rest, so a decorator waits with this until it knows them.
    expect(() => decoratorMistake({ retries: 1, ...given })).toThrow('nothing was refused');
  });

  it.each<[object, string]>([
    [
      { rateLimitOn: [] },
      'rateLimitOn is an empty list; give a list of error classes that is not empty, or a function (error) => boolean',
    ],
    [{ rateLimitOn: TooManyRequests }, 'rateLimitOn is a function; put the error class in a list'],
    [{ rateLimitOn: [Error], retryAfter: 5 }, 'retryAfter is the number 5; give a function'],
    [
      { rateLimitOn: [Error], maxRateLimitWait: 'soon' },
      "maxRateLimitWait is a string; give seconds as a number of 0 or more, or text such as '250ms', '10s', '5m' or '1h'",
    ],
    [
      { rateLimitOn: [Error], maxRateLimitWait: -1 },
      "maxRateLimitWait is the number -1; give seconds as a number of 0 or more, or text such as '250ms', '10s', '5m' or '1h'",
    ],
    [{ rateLimit: { rateLimitOn: [Error] } }, 'rateLimit is an object; give a RateLimitPolicy, or false'],
    [{ rateLimit: true }, 'rateLimit is true; give a RateLimitPolicy, or false'],
  ])('must make sense: %p', expectRefusal);
});
