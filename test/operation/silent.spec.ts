import { describe, expect, it } from '@jest/globals';
import { MisuseError, resilient } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { everySeconds, gives, hangs, openBreaker, rejection, throws, Upstream } from './support.js';

describe('a call that nobody listens to', () => {
  it('rejects with what a back-off throws after a refusal', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await openBreaker(clock);
    const broken = new Error('broken back-off');
    const backoff = { delayForRetry: throws(broken) as never };
    const upstream = new Upstream(gives(1));
    const run = resilient({ name: 'op', clock, circuitBreaker, retries: 1, backoff }, upstream.call);
    expect(await rejection(run())).toBe(broken);
    expect(upstream.calls).toEqual([]);
  });

  it('is tried again after a refusal, and asks its fallback', async () => {
    const clock = new FakeClock();
    const circuitBreaker = await openBreaker(clock, { recoveryTimeout: 5 });
    const options = { name: 'op', clock, circuitBreaker };
    const again = resilient({ ...options, retries: 1, backoff: everySeconds(5) }, gives('good'));
    expect((await clock.settle(again())).value).toBe('good');
    circuitBreaker.forceOpen('maintenance');
    const saved = resilient({ ...options, fallback: gives('F') }, gives('good'));
    expect((await saved()).value).toBe('F');
  });

  it('rejects with what is wrong with its breaker, before it takes a place in its limit', async () => {
    const circuitBreaker = () => 5 as never;
    const run = resilient({ name: 'op', circuitBreaker, maxConcurrent: 1 }, gives(1));
    for (let call = 0; call < 2; call += 1) expect(await rejection(run())).toBeInstanceOf(MisuseError);
  });

  it('shares the limit of a function with every other one, whatever they are called on', async () => {
    const run = resilient({ name: 'op', maxConcurrent: 1 }, hangs);
    void run.call({ first: true });
    expect((await rejection(run.call({ second: true }))).cause).toMatchObject({
      name: 'ConcurrencyLimitError',
    });
  });
});
