import { describe, expect, it, jest } from '@jest/globals';
import { currentAttempt, InMemoryCache, reportOf } from '../../lib/index.js';
import { after, gives, rejects, Upstream } from '../operation/support.js';
import { client } from './client.js';
import { TooSlow } from './support.js';

const broken = new RangeError('broken');
const down = rejects(broken);

describe('the fallback of a shield', () => {
  it('gets the error of the call, then its arguments, and supplies the value [S32]', async () => {
    const fallback = jest.fn(async (error: unknown, ...args: unknown[]) => [error, ...args]);
    const seen = client(down, { fallback });
    expect(await seen.outcome('a', 2)).toEqual([broken, 'a', 2]);
    expect(fallback).toHaveBeenCalledTimes(1);
    expect(seen.clock.pendingTimers).toBe(0);
  });

  it('may be synchronous [S33]', async () => {
    const seen = client(down, { fallback: () => 'stand-in' });
    expect(await seen.outcome()).toBe('stand-in');
  });

  it('may give nothing', async () => {
    const seen = client(down, { fallback: () => undefined });
    expect(await seen.outcome()).toBeUndefined();
    expect(seen.reports[0]?.status).toBe('succeeded');
  });

  it('comes after the last try of a dependency that is too slow', async () => {
    const upstream = new Upstream(rejects(new TooSlow('slow')));
    const seen = client(upstream.call, { fallback: (error: unknown) => (error as Error).name });
    expect(await seen.outcome()).toBe('TimeoutError');
    expect(upstream.calls).toHaveLength(4);
  });

  it.each([
    ['throws', () => throwing()],
    ['rejects', () => Promise.reject(new TypeError('no stand-in'))],
  ])('that %s gives the caller its own error; the first one is in the report', async (_, fallback) => {
    const seen = client(down, { fallback });
    const error = await seen.outcome();
    expect(error).toEqual(new TypeError('no stand-in'));
    expect(error).not.toHaveProperty('notes');
    const report = reportOf(error);
    expect(report).toBe(seen.reports[0]);
    expect(report?.attempts[0]?.error).toMatchObject({ type: 'RangeError', message: 'broken' });
    expect(report?.metadata).toMatchObject({ shield_gave_up: 'non_retryable', fallback_failed: true });
    expect(report?.metadata).not.toHaveProperty('shield_recovered_by');
  });

  it('is asked when the cache cannot be read', async () => {
    const cache = { get: () => Promise.reject(new Error('away')), set: () => undefined };
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const seen = client(down, { cache, fallback: () => 'stand-in' });
    expect(await seen.outcome()).toBe('stand-in');
    expect(seen.metadata()).toMatchObject({ shield_recovered_by: 'fallback', fallback_failure_count: 1 });
    warn.mockRestore();
  });

  it('stands in for a call that was not admitted', async () => {
    const upstream = new Upstream(gives('up'));
    const fallback = (error: unknown): string => (error as Error).name;
    const seen = client(upstream.call, { maxRate: 1, whenLimited: 'reject', fallback });
    await seen.outcome();
    expect(await seen.outcome()).toBe('ShieldLimitedError');
    expect(upstream.calls).toHaveLength(1);
    expect(seen.metadata()).toMatchObject({
      shield_gave_up: 'not_admitted',
      shield_recovered_by: 'fallback',
    });
    expect(seen.told('shield.recovered')).toEqual([
      { shield_name: 'github', profile: 'api', by: 'fallback', reason: 'not_admitted' },
    ]);
  });

  it('and the cache stand in for one that waited too long', async () => {
    const upstream = new Upstream(gives('kept'));
    const seen = client(upstream.call, { maxRate: 1, maxWait: 0.1, cache: new InMemoryCache() });
    await seen.outcome();
    expect(await seen.outcome()).toBe('kept');
    expect(upstream.calls).toHaveLength(1);
    expect(seen.metadata()).toMatchObject({ shield_gave_up: 'not_admitted', shield_recovered_by: 'cache' });
  });

  it('runs outside the gate and without a timeout, and has its own attempt', async () => {
    const seen = client(down, {
      maxRate: 1,
      profile: 'internal',
      fallback: () => {
        const { kind, number, remainingSeconds, lastError } = currentAttempt();
        return after(seen.clock, 100, gives([kind, number, remainingSeconds, lastError]))();
      },
    });
    expect(await seen.outcome()).toEqual(['fallback', 2, Infinity, broken]);
    expect(seen.clock.monotonicMs()).toBe(100_000);
    expect(seen.clock.pendingTimers).toBe(0);
  });

  it('has its value checked', async () => {
    const seen = client(down, {
      fallback: () => -1,
      beside: { validate: (value: unknown) => (value as number) > 0 },
    });
    expect((await seen.outcome()).name).toBe('ValidationFailedError');
  });

  it('is not asked when the call succeeds', async () => {
    const fallback = jest.fn(() => 'stand-in');
    const seen = client(gives('up'), { fallback });
    expect(await seen.outcome()).toBe('up');
    expect(fallback).not.toHaveBeenCalled();
  });
});

function throwing(): never {
  throw new TypeError('no stand-in');
}
