import { describe, expect, it, jest } from '@jest/globals';
import { ConcurrencyLimit, reportOf, resultOf, Shield } from '../../lib/index.js';
import { FakeClock } from '../../lib/testing/index.js';
import { heldBytes, heldOf, MEGABYTE } from '../operation/memory.js';
import { listenersOf } from '../operation/support.js';
import { TooSlow } from './support.js';

jest.setTimeout(60_000);

/** By how many bytes more is held after something than before it. */
async function growth(work: () => Promise<void>): Promise<number> {
  // Once to warm up: compiled code and caches are no leak.
  await work();
  const before = await heldBytes();
  await work();
  return (await heldBytes()) - before;
}

describe('what a shield holds', () => {
  it('is nothing of twenty thousand calls, of functions that were made for them', async () => {
    const clock = new FakeClock();
    const shield = Shield.internal('github', { clock, env: false });
    const grown = await growth(async () => {
      for (let call = 0; call < 20_000; call += 1) {
        const big = new Array<number>(100).fill(call);
        await shield.run(async () => big.length);
      }
    });
    expect(grown).toBeLessThan(MEGABYTE);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is nothing of callers who went away in line', async () => {
    const clock = new FakeClock();
    const shield = Shield.internal('github', { clock, env: false, maxRate: 1, maxWait: '1h' });
    const { signal } = new AbortController();
    const refs: WeakRef<object>[] = [];
    await shield.run(async () => 'up');
    for (let call = 0; call < 100; call += 1) {
      const abort = new AbortController();
      const argument = { big: new Array<number>(1_000).fill(call) };
      refs.push(new WeakRef(argument));
      const waiting = resultOf(() => shield.run(async (one: object) => one, argument), {
        signal: AbortSignal.any([signal, abort.signal]),
      });
      waiting.catch(() => undefined);
      abort.abort();
      await waiting.catch(() => undefined);
    }
    expect(await heldOf(refs)).toBe(0);
    expect([listenersOf(signal), clock.pendingTimers, shield.snapshot().waiting]).toEqual([0, 0, 0]);
  });
});

describe('what is kept of a shielded call that has ended', () => {
  it('is nothing of its shield and its concurrency limit, however it ended', async () => {
    const clock = new FakeClock();
    const refs: WeakRef<object>[] = [];
    const kept: unknown[] = [];
    const play = async (fails: boolean): Promise<void> => {
      const shield = Shield.api('github', { clock, random: () => 0, env: false });
      const limit = new ConcurrencyLimit({ maxConcurrent: 1, clock });
      refs.push(new WeakRef(shield), new WeakRef(limit));
      const call = shield.run(() =>
        limit.run(async () => (fails ? Promise.reject(readable(new TooSlow('slow'))) : 'up')),
      );
      kept.push(await clock.settle(resultOf(call).catch((error: unknown) => error)));
    };
    await play(true);
    await play(false);
    expect(await heldOf(refs)).toBe(0);
    const [failed, succeeded] = kept as [any, any];
    expect(failed.report.metadata).toMatchObject({
      shield_name: 'github',
      shield_gave_up: 'attempts_exhausted',
    });
    expect(reportOf(failed.cause)).toBe(failed.report);
    expect(succeeded.report.metadata).toMatchObject({ shield_name: 'github', timeout_seconds: 10 });
  });
});

/** Until its stack is read, V8 holds the objects whose methods are in it. */
function readable(error: Error): Error {
  void error.stack;
  return error;
}
