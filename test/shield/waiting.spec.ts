import { describe, expect, it } from '@jest/globals';
import { currentAttempt, resultOf, ShieldLimitedError, type ProfiledShieldOptions } from '../../lib/index.js';
import { outcome, shielded, sixPlaces } from './support.js';

/** Calls that are begun at once on a shield that lets so many through in a second; where each began is noted. */
function crowd(size: number, options: ProfiledShieldOptions) {
  const scene = shielded({ profile: 'internal', ...options });
  const started: number[] = [];
  const times: number[] = [];
  const aborts = Array.from({ length: size }, () => new AbortController());
  const calls = aborts.map(({ signal }, index) =>
    resultOf(
      () =>
        scene.shield.run(async function visit() {
          started.push(index);
          times.push(scene.clock.monotonicMs() / 1_000);
        }),
      { signal },
    ),
  );
  const ends = calls.map((call) => call.then(() => 'up').catch((error: unknown) => error));
  return { scene, started, times, aborts, ends };
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe('waiting for admission', () => {
  it('serves a hundred waiters in order with one timer', async () => {
    const { scene, started, times, ends } = crowd(110, { maxRate: 10, maxWait: '1m' });
    await scene.clock.advance(0);
    expect(started).toHaveLength(10);
    expect(scene.shield.snapshot().waiting).toBe(100);
    expect(scene.clock.pendingTimers).toBe(1);
    await scene.clock.advance(5);
    expect(scene.shield.snapshot().waiting).toBe(50);
    expect(scene.clock.pendingTimers).toBe(1);
    await scene.clock.settle(Promise.all(ends));
    expect(started).toEqual(numbers(0, 110));
    expect(times.at(-1)).toBeCloseTo(10, 6);
    expect(scene.clock.pendingTimers).toBe(0);
  });

  it('lets an aborted waiter leave at once, and its turn goes to the next [B027, B029]', async () => {
    const { scene, started, times, aborts, ends } = crowd(4, { maxRate: 1, maxWait: '1m' });
    await scene.clock.advance(0.5);
    const reason = new Error('gone');
    aborts[1]?.abort(reason);
    expect(await rejectionNow(ends[1])).toBe(reason);
    expect(scene.shield.snapshot().waiting).toBe(2);
    await scene.clock.settle(Promise.all(ends));
    expect(started).toEqual([0, 2, 3]);
    expect(sixPlaces(times)).toEqual([0, 1, 2]);
    expect(scene.clock.pendingTimers).toBe(0);
  });

  it('lets those leave who stand in the middle and at the end', async () => {
    const { scene, started, aborts, ends } = crowd(6, { maxRate: 1, maxWait: '1m' });
    await scene.clock.advance(0);
    aborts[3]?.abort();
    aborts[5]?.abort();
    await scene.clock.settle(Promise.all(ends));
    expect(started).toEqual([0, 1, 2, 4]);
    expect(scene.clock.pendingTimers).toBe(0);
  });

  it('leaves no timer when everybody has gone', async () => {
    const { scene, aborts } = crowd(50, { maxRate: 1 });
    await scene.clock.advance(0);
    for (const abort of aborts) abort.abort();
    await scene.clock.advance(0);
    expect(scene.shield.snapshot().waiting).toBe(0);
    expect(scene.clock.pendingTimers).toBe(0);
  });

  it('refuses who has waited for `maxWait`, and nobody who has not', async () => {
    const { scene, started, ends } = crowd(6, { maxRate: 1, maxWait: 2.5 });
    const all = await scene.clock.settle(Promise.all(ends));
    expect(started).toEqual([0, 1, 2]);
    expect(scene.clock.monotonicMs()).toBe(2_500);
    for (const error of all.slice(3) as ShieldLimitedError[]) {
      expect(error.name).toBe('OperationExecutionError');
      expect((error as any).cause).toBeInstanceOf(ShieldLimitedError);
      expect((error as any).cause).toMatchObject({ shieldName: 'github', reason: 'waited_too_long' });
    }
    expect(scene.clock.pendingTimers).toBe(0);
  });

  it('waits no longer than the longest timeout of the profile unless told otherwise', async () => {
    const { scene, started, ends } = crowd(10, { maxRate: 1 });
    await scene.clock.settle(Promise.all(ends));
    expect(started).toHaveLength(6);
    expect(scene.clock.monotonicMs()).toBe(5_000);
  });

  it('refuses at once where nobody is to wait, and says when there may be room', async () => {
    const scene = shielded({ maxRate: 2, whenLimited: 'reject' });
    const call = (): Promise<any> =>
      outcome(
        scene,
        scene.shield.run(async () => 'up'),
      );
    expect([await call(), await call()]).toEqual(['up', 'up']);
    const error = await call();
    expect(error).toBeInstanceOf(ShieldLimitedError);
    expect(error).toMatchObject({ shieldName: 'github', reason: 'limited', retryAfterSeconds: 0.5 });
    expect(error.message).toBe("shield 'github' limits the rate; there may be room in 1 s");
    await scene.clock.advance(0.5);
    expect(await call()).toBe('up');
  });

  it('begins the timeout when the attempt is admitted, not when it is asked for', async () => {
    const scene = shielded({ maxRate: 1 });
    const seen: number[] = [];
    const call = (): Promise<unknown> =>
      scene.shield.run(async () => void seen.push(currentAttempt().remainingSeconds ?? NaN));
    await scene.clock.settle(Promise.all([call(), call()]));
    expect(seen[0]).toBe(10);
    expect(scene.clock.monotonicMs()).toBe(1_000);
    // Meanwhile it has learnt.
    expect(seen[1]).toBe(0.5);
  });
});

/** What an end is that must be there already. */
async function rejectionNow(end: Promise<unknown> | undefined): Promise<unknown> {
  return Promise.race([end, new Promise((resolve) => setImmediate(resolve, 'not yet'))]);
}
